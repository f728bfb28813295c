"""What jobs may not reach is not connected to: no socket is made, no canary is touched."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
import yarl
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from hypothesis import given
from hypothesis import strategies as st

from tests.executors.attempts import context
from tests.executors.receivers import Canary, Names, canary, receiver
from windlass.clock import SystemChance, SystemClock
from windlass.core.errors import BadInput, BadPayload
from windlass.executors import client
from windlass.executors.base import Discard
from windlass.executors.door import Door
from windlass.executors.exchange import Unreachable
from windlass.executors.handlers import from_object
from windlass.executors.reach import FOREIGN_PORTS, URL, Forbidden, Reach, check_url, parse_reach
from windlass.executors.signing import Signer
from windlass.executors.webhook import Delivered, NotTaken, Webhook

PRIVATE = "127.0.0.1"


class Caller:
    """A webhook executor as a worker would call it."""

    def __init__(self, reach: Reach, resolver: AbstractResolver | None) -> None:
        clock = SystemClock()
        self.webhook = Webhook(Door(reach, clock, SystemChance(), resolver), Signer([]), clock)
        self._executor = from_object(self.webhook, {})

    async def call(self, url: str, **payload: Any) -> Delivered:
        """Enqueue and run."""
        text = self._executor.validate({"url": url, **payload})
        delivered: Delivered = await self._executor.call(text, context())
        return delivered


@asynccontextmanager
async def calling(*allow: str, resolver: AbstractResolver | None = None) -> AsyncIterator[Caller]:
    """A caller who closes its connections at the end."""
    caller = Caller(parse_reach(allow), resolver)
    try:
        yield caller
    finally:
        await caller.webhook.close()


@pytest.fixture
async def bird() -> AsyncIterator[Canary]:
    async with canary() as bird:
        yield bird


@pytest.fixture
def sockets(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The sockets that the client makes."""
    made: list[object] = []

    class Socket(socket.socket):
        def __init__(self, *args: Any) -> None:
            made.append(args)
            super().__init__(*args)

    monkeypatch.setattr(client, "socket", SimpleNamespace(socket=Socket))
    return made


LITERALS = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0",
    "0.0.0.0",  # noqa: S104 - nothing listens
    "①②⑦.⓪.⓪.①",
    "127.0.0.1.",
    "127.127.127.127",
    "localhost",
    "LOCALHOST",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:7f00:1]",
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
]
NOWHERE = [
    "169.254.169.254",
    "169.254.43518",
    "0xa9fea9fe",
    "2852039166",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "[fd00:ec2::254]",
    "[fd20:ce::254]",
    "[2002:a9fe:a9fe::]",
    "[2002:7f00:1::]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::1]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[fe80::1]",
    "[fec0::1]",
    "[fc00::1]",
    "[ff02::1]",
    "[100::1]",
    "[2001:db8::1]",
    "[3fff::1]",
    "[5f00::1]",
    "[4000::1]",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "198.18.0.1",
    "192.88.99.1",
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "100.64.0.1",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
]
CONFUSED = [
    r"http://evil.example\@127.0.0.1/",
    "http://a@127.0.0.1:80@evil.example/",
    "http://127.0.0.1#@evil.example/",
    "http://[::1]evil.example/",
    "http://user:pass@127.0.0.1/",
    "http://user@127.0.0.1/",
    " http://127.0.0.1/",
    "http://127.0.0.1/ ",
    "http://127.0.\t0.1/",
    "http://127.0.\n0.1/",
    "http://127.0.0.1\r\nHost: evil.example/",
    "http://127.0.0.1%00.evil.example/",
    "http://%31%32%37.0.0.1/",
    "http://127.0.0.1/\x00",
    r"http:/\127.0.0.1/",
    r"http:\\127.0.0.1/",
    "http:127.0.0.1",
    "http:///127.0.0.1/",
    "//127.0.0.1/",
    "http://[fe80::1%25eth0]/",
    "http://[fe80::1%eth0]/",
    "http://[::1/",
    "http://::1/",
    "http://127.0.0.1:0/",
    "http://127.0.0.1:65536/",
    "http://127.0.0.1:99999/",
    "http://127.0.0.1:-1/",
    "http://127.0.0.1:80:80/",
    "http://127.0.0.1:\N{FULLWIDTH DIGIT EIGHT}0/",
    "ftp://127.0.0.1/",
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
    "data:text/plain,x",
    "unix:///var/run/docker.sock",
    "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
    "javascript:alert(1)",
    "http://",
    "",
]


@pytest.mark.parametrize("host", LITERALS)
async def test_this_machine_is_not_called_however_its_address_is_written(
    host: str, bird: Canary, sockets: list[object]
) -> None:
    async with calling(f"*:{bird.port}") as caller:
        with pytest.raises(Discard, match="is out of reach"):
            await caller.call(f"http://{host}:{bird.port}/")

    assert bird.touched == 0
    assert sockets == []


@pytest.mark.parametrize("host", NOWHERE)
async def test_no_socket_is_made_for_an_address_that_is_not_public(
    host: str, sockets: list[object]
) -> None:
    async with calling() as caller:
        with pytest.raises(Discard, match="is out of reach"):
            await caller.call(f"http://{host}/")

    assert sockets == []


@pytest.mark.parametrize("url", CONFUSED, ids=ascii)
async def test_a_url_that_readers_could_read_differently_is_not_enqueued(
    url: str, sockets: list[object]
) -> None:
    async with calling("loopback") as caller:
        with pytest.raises(BadPayload):
            await caller.call(url)

    assert sockets == []


@pytest.mark.parametrize(
    "answer",
    [
        ["127.0.0.1"],
        ["::1"],
        ["::ffff:127.0.0.1"],
        ["93.184.216.34", "127.0.0.1"],
        ["127.0.0.1", "93.184.216.34"],
        ["2606:2800:220:1:248:1893:25c8:1946", "::1"],
        ["93.184.216.34", "10.0.0.1"],
        ["0.0.0.0"],  # noqa: S104 - nothing listens
        ["169.254.169.254"],
    ],
    ids=",".join,
)
async def test_a_name_with_one_private_address_is_not_called(
    answer: list[str], bird: Canary, sockets: list[object]
) -> None:
    names = Names(hooks_example=[answer])

    async with calling(f"*:{bird.port}", resolver=names) as caller:
        with pytest.raises(Discard, match="is no public address"):
            await caller.call(f"http://hooks.example:{bird.port}/")

    assert bird.touched == 0
    assert sockets == []


@pytest.mark.parametrize("name", ["metadata.google.internal", "127.0.0.1.nip.io", "x.localhost"])
async def test_a_well_known_name_of_something_private_is_not_called(
    name: str, bird: Canary, sockets: list[object]
) -> None:
    names = Names()
    names._answers = {
        "metadata.google.internal": [["169.254.169.254"]],
        "127.0.0.1.nip.io": [[PRIVATE]],
        "x.localhost": [[PRIVATE]],
    }

    async with calling(f"*:{bird.port}", resolver=names) as caller:
        with pytest.raises(Discard, match="is no public address"):
            await caller.call(f"http://{name}:{bird.port}/")

    assert bird.touched == 0
    assert sockets == []


async def test_a_name_that_moves_to_a_private_address_between_calls_is_not_called_again(
    bird: Canary,
) -> None:
    names = Names(hooks_example=[["127.0.0.2"], [PRIVATE]])
    async with (
        receiver("127.0.0.2") as taken,
        calling("127.0.0.2/32", resolver=names) as caller,
    ):
        await caller.call(f"http://hooks.example:{taken.port}/")
        await caller.webhook.close()  # with it go the connection and the cached address
        with pytest.raises(Discard, match=r"127.0.0.1 is no public address"):
            await caller.call(f"http://hooks.example:{bird.port}/")

    assert len(taken.calls) == 1
    assert bird.touched == 0
    assert len(names.asked) == 2


async def test_a_name_that_cannot_be_resolved_at_first_is_looked_at_when_it_can(
    bird: Canary, sockets: list[object]
) -> None:
    names = Names(hooks_example=[OSError("no such name"), [PRIVATE]])

    async with calling(f"*:{bird.port}", resolver=names) as caller:
        with pytest.raises(Unreachable):
            await caller.call(f"http://hooks.example:{bird.port}/")
        with pytest.raises(Discard):
            await caller.call(f"http://hooks.example:{bird.port}/")

    assert bird.touched == 0
    assert sockets == []


class Shifty(Names):
    """Says one address to who looks first, and another to who looks again."""

    def result(self, host: str, address: str, port: int) -> ResolveResult:
        """An answer that changes while it is held."""

        class Changing(dict[str, Any]):
            looked = 0

            def __getitem__(self, key: str) -> Any:
                if key != "host":
                    return super().__getitem__(key)
                self.looked += 1
                return "93.184.216.34" if self.looked == 1 else PRIVATE

        return Changing(super().result(host, address, port))  # type: ignore[return-value]


async def test_the_address_that_counts_is_the_one_the_socket_is_made_for(
    bird: Canary, sockets: list[object]
) -> None:
    names = Shifty(hooks_example=[["93.184.216.34"]])

    async with calling(f"*:{bird.port}", resolver=names) as caller:
        with pytest.raises(Discard, match=r"127.0.0.1 is no public address"):
            await caller.call(f"http://hooks.example:{bird.port}/")

    assert bird.touched == 0
    assert sockets == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:{port}/", "file:///etc/passwd", "//[::1]:{port}/"]
)
async def test_redirects_are_not_followed(status: int, target: str, bird: Canary) -> None:
    async with receiver() as taken, calling("loopback") as caller:
        location = target.format(port=bird.port)
        taken.answer = lambda _: web.Response(status=status, headers={"Location": location})
        with pytest.raises((Discard, NotTaken), match="redirects are not followed"):
            await caller.call(taken.url)

    assert bird.touched == 0
    assert len(taken.calls) == 1


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
async def test_proxies_of_the_environment_are_not_asked(
    variable: str, bird: Canary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, f"http://127.0.0.1:{bird.port}")
    monkeypatch.delenv("NO_PROXY", raising=False)

    async with receiver() as taken, calling("loopback") as caller:
        await caller.call(taken.url)

    assert bird.touched == 0
    assert len(taken.calls) == 1


@pytest.mark.parametrize(
    "port", [21, 22, 25, 53, 110, 143, 465, 587, 3306, 5432, 6379, 11211, 27017]
)
async def test_ports_of_other_protocols_are_not_called_even_where_hosts_are_named(
    port: int, sockets: list[object]
) -> None:
    async with calling("loopback", "10.0.0.0/8") as caller:
        for host in ("127.0.0.1", "localhost", "10.0.0.1", "93.184.216.34"):
            with pytest.raises(Discard, match=f"port {port}"):
                await caller.call(f"http://{host}:{port}/")

    assert sockets == []
    assert port in FOREIGN_PORTS


# --- what is allowed -----------------------------------------------------------------------------


async def test_this_machine_is_called_by_its_own_names_where_that_is_allowed() -> None:
    async with receiver() as taken, calling("loopback") as caller:
        await caller.call(f"http://127.0.0.1:{taken.port}/")
        await caller.call(f"http://localhost:{taken.port}/")

    assert len(taken.calls) == 2


async def test_another_name_for_this_machine_is_refused_even_where_loopback_is_allowed(
    bird: Canary, sockets: list[object]
) -> None:
    names = Names(hooks_example=[[PRIVATE]])

    async with calling("loopback", f"*:{bird.port}", resolver=names) as caller:
        for host in ("hooks.example", "127.1", "2130706433", "127.0.0.2", "0.0.0.0"):  # noqa: S104
            with pytest.raises(Discard):
                await caller.call(f"http://{host}:{bird.port}/")

    assert bird.touched == 0
    assert sockets == []


async def test_hosts_domains_and_networks_can_be_allowed() -> None:
    names = Names(
        hooks_internal=[[PRIVATE]], a_b_corp_example=[[PRIVATE]], other_example=[[PRIVATE]]
    )

    async with receiver() as taken:
        async with calling("hooks.internal", "*.corp.example", resolver=names) as caller:
            await caller.call(f"http://hooks.internal:{taken.port}/")
            await caller.call(f"http://a.b.corp.example:{taken.port}/")
            with pytest.raises(Discard):
                await caller.call(f"http://other.example:{taken.port}/")
        async with calling("127.0.0.0/8", resolver=names) as caller:
            await caller.call(f"http://other.example:{taken.port}/")

    assert len(taken.calls) == 3


@pytest.mark.parametrize("address", ["169.254.169.254", "0.0.0.0", "224.0.0.1", "fe80::1", "::"])  # noqa: S104
async def test_a_host_that_is_named_may_still_not_be_where_no_host_is(
    address: str, sockets: list[object]
) -> None:
    names = Names(hooks_internal=[[address]])

    async with calling("hooks.internal", resolver=names) as caller:
        with pytest.raises(Discard):
            await caller.call("http://hooks.internal/")

    assert sockets == []


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "8.8.8.8", "2606:2800:220:1::1", "64:ff9b::808:808"]
)
def test_public_addresses_are_within_reach(address: str) -> None:
    parse_reach([]).check(address, 443, listed=False)
    parse_reach([]).check(address, 80, listed=False)

    with pytest.raises(Forbidden, match="port 8443"):
        parse_reach([]).check(address, 8443, listed=False)
    parse_reach(["*:8443"]).check(address, 8443, listed=False)


@pytest.mark.parametrize(
    "entry", ["", "http://x", "a b", "10.0.0.0/33", "*", "*:x", "x:1", "-x", "a/b"]
)
def test_what_cannot_be_reached_is_refused_with_what_can(entry: str) -> None:
    with pytest.raises(BadInput, match="write a host"):
        parse_reach([entry])


@given(st.from_regex(URL, fullmatch=True) | st.text().map("http://{}/".format))
def test_whoever_reads_a_url_that_is_taken_reads_the_same_host(url: str) -> None:
    try:
        check_url(url)
        read = yarl.URL(url)
    except ValueError:
        return  # refused here, or by the client that would call it

    split = urlsplit(url)
    assert read.scheme == split.scheme in {"http", "https"}
    assert read.user is None
    assert read.port == (split.port or {"http": 80, "https": 443}[split.scheme])
    if url.isascii():
        assert read.raw_host == split.hostname
