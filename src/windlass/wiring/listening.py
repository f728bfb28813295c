"""Opens the sockets that the API listens on, where it may."""

from __future__ import annotations

import errno
import socket
from collections.abc import Sequence

from windlass.config import Settings
from windlass.core.errors import BadInput
from windlass.http.middleware.hosts import bracketed, is_loopback, is_wildcard
from windlass.http.server import BACKLOG

# A peer that takes nothing of what was sent for so long is gone, whatever it says.
UNTAKEN_MS = 30_000
ABSENT = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
EXPOSED = (
    "{host} can be reached from outside, and without a secret everybody could run jobs here."
    " Set WINDLASS_SECRET (make one with: openssl rand -base64 32), listen on 127.0.0.1, or, if"
    " a proxy or a private network guards it, set WINDLASS_OPEN=1"
)
OPEN = "the API at {host} is open to everybody who can reach it, as WINDLASS_OPEN says"


def exposed(settings: Settings) -> str | None:
    """What to say of an API that is open to others; refuses one that was not meant to be."""
    guarded = settings.secret is not None or settings.jwks is not None
    if guarded or is_loopback(settings.host):
        return None
    if not settings.open:
        raise BadInput(EXPOSED.format(host=settings.host))
    return OPEN.format(host=settings.host)


def listeners(host: str, port: int, *, each: int = 1) -> list[list[socket.socket]]:
    """Sockets for so many processes, each with one on every address of the host.

    Who comes while a process is away waits in its socket, which the caller keeps open.
    """
    sockets = _bound(host, port, shared=False)
    if each == 1:
        return [sockets]
    # Shared ports would let a second server in unnoticed: so the first try was for us alone.
    port = sockets[0].getsockname()[1]
    for one in sockets:
        one.close()
    return [_bound(host, port, shared=True) for _ in range(each)]


def url_of(host: str, sockets: Sequence[socket.socket]) -> str:
    """Where people of this machine find it."""
    port = sockets[0].getsockname()[1]
    return f"http://{'127.0.0.1' if is_wildcard(host) else bracketed(host)}:{port}"


def _bound(host: str, port: int, *, shared: bool) -> list[socket.socket]:
    """A socket on each address of the host that this machine has."""
    sockets: list[socket.socket] = []
    absent: OSError | None = None
    for family, address in _addresses(host, port):
        try:
            one = _listening(family, (address, port), shared=shared)
        except OSError as problem:
            if problem.errno not in ABSENT:
                raise _refused(host, port, problem) from None
            absent = problem  # as ::1 is in many containers, where localhost still has it
        else:
            sockets.append(one)
            port = one.getsockname()[1]
    if not sockets and absent is not None:
        raise _refused(host, port, absent)
    return sockets


def _listening(
    family: socket.AddressFamily, address: tuple[str, int], *, shared: bool
) -> socket.socket:
    one = socket.socket(family, socket.SOCK_STREAM)
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if family == socket.AF_INET6:
            # The address :: means every one of them, also the older kind.
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(address[0] != "::"))
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNTAKEN_MS)
        one.bind(address)
        one.listen(BACKLOG)
    except BaseException:
        one.close()
        raise
    return one


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, str]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise BadInput(f"{host!r} is no address of this machine; see --host") from None
    return [(family, str(address[0])) for family, _, _, _, address in found]


def _refused(host: str, port: int, problem: OSError) -> BadInput:
    match problem.errno:
        case errno.EADDRINUSE:
            return BadInput(
                f"port {port} is taken, perhaps by another windlass; choose another with --port,"
                " or --port 0 for any that is free"
            )
        case errno.EACCES:
            return BadInput(f"port {port} is not for this account; choose one above 1023: --port")
        case _:
            return BadInput(f"cannot listen on {host} port {port}: {problem.strerror}; see --host")
