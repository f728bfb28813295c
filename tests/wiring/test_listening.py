"""Where the API may listen, and what is said if it cannot."""

import errno
import socket

import pytest

from windlass.config import Settings
from windlass.core.errors import BadInput
from windlass.wiring import listening
from windlass.wiring.listening import exposed, listeners, url_of

SECRET = "0123456789abcdef" * 2
BOTH = [(socket.AF_INET6, "::1"), (socket.AF_INET, "127.0.0.1")]


def closed(sockets: list[list[socket.socket]]) -> list[tuple[str, int]]:
    """The addresses of the sockets, which are let go."""
    found = []
    for each in (one for own in sockets for one in own):
        found.append(each.getsockname()[:2])
        each.close()
    return found


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "::1"])
def test_loopback_needs_no_secret(host: str) -> None:
    assert exposed(Settings(host=host)) is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "jobs.example.org"])  # noqa: S104
def test_anything_else_does(host: str) -> None:
    assert exposed(Settings(host=host, secret=SECRET)) is None
    assert exposed(Settings(host=host, jwks="https://id.example.org/keys")) is None
    assert "open to everybody" in str(exposed(Settings(host=host, open=True)))
    with pytest.raises(BadInput, match="WINDLASS_SECRET"):
        exposed(Settings(host=host))


def test_each_process_has_a_socket_on_the_same_port() -> None:
    addresses = closed(listeners("127.0.0.1", 0, each=3))

    assert len(addresses) == 3
    assert len(set(addresses)) == 1


@pytest.mark.parametrize("each", [1, 2])
def test_a_port_is_never_shared_with_a_stranger(each: int) -> None:
    strangers = listeners("127.0.0.1", 0, each=2)
    port = strangers[0][0].getsockname()[1]

    with pytest.raises(BadInput, match=f"port {port} is taken"):
        listeners("127.0.0.1", port, each=each)

    closed(strangers)


def test_all_addresses_of_a_host_have_one_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "_addresses", lambda *_: BOTH)

    (first, port), (second, same) = closed(listeners("localhost", 0))

    assert (first, second, port) == ("::1", "127.0.0.1", same)


def test_an_address_that_the_machine_lacks_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = [(socket.AF_INET, "192.0.2.1"), (socket.AF_INET, "127.0.0.1")]
    monkeypatch.setattr(listening, "_addresses", lambda *_: lacking)

    [(address, _)] = closed(listeners("localhost", 0))

    assert address == "127.0.0.1"


def test_but_not_the_last_one() -> None:
    with pytest.raises(BadInput, match=r"cannot listen on 192.0.2.1 .* see --host"):
        listeners("192.0.2.1", 0)


def test_a_name_that_nobody_knows_is_no_address() -> None:
    with pytest.raises(BadInput, match="is no address of this machine"):
        listeners("nowhere.invalid", 0)


def test_a_port_that_is_not_for_us_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object, **__: object) -> socket.socket:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(listening, "_listening", denied)

    with pytest.raises(BadInput, match="port 80 is not for this account"):
        listeners("127.0.0.1", 80)


@pytest.mark.parametrize(
    ("host", "url"),
    [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::1", "[::1]")],  # noqa: S104
)
def test_people_are_told_an_address_that_works_for_them(host: str, url: str) -> None:
    [sockets] = listeners("127.0.0.1", 0)
    port = sockets[0].getsockname()[1]

    told = url_of(host, sockets)

    assert told == f"http://{url}:{port}"
    closed([sockets])
