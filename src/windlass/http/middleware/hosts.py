"""Answers only to the names that are ours.

A web page can make its own name point to this machine and then read what is served here to anyone
who is local. Its requests still carry its name.
"""

from __future__ import annotations

import socket
from collections.abc import Awaitable
from ipaddress import ip_address

from msgspec import Struct

from windlass.config import Settings
from windlass.http.answer import Send
from windlass.http.middleware.layer import Asgi, headers, refuse
from windlass.http.problems import Refusal
from windlass.http.request import Receive, Scope

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
# One name may be written with many ports; each is looked at as long as these are remembered.
MOST_SEEN = 16
NO_HOST = Refusal(400, "bad-host", "send one Host header")


class Names(Struct, frozen=True):
    """The names that are ours; `numbers` if any address is, `any` if all are."""

    known: frozenset[str] = LOOPBACK
    numbers: bool = False
    any: bool = False

    def include(self, host: bytes) -> bool:
        """Whether a Host header is meant for us, whatever port it names."""
        if self.any:
            return True
        name = name_of(host.decode("latin-1"))
        if name in self.known or name.endswith(".localhost"):
            return True
        return self.numbers and is_number(name)


def names(settings: Settings) -> Names:
    """Who we are: by default loopback and where we listen, and what was configured besides."""
    listening = is_wildcard(settings.host)
    guarded = settings.secret is not None or settings.jwks is not None
    if guarded and not settings.hosts and not is_loopback(settings.host):
        # A token is not lent to a page by the browser, as being local is: any name will do.
        return Names(any=True)
    own = {socket.gethostname().lower()} if listening else {bracketed(settings.host.lower())}
    configured = {name_of(host) for host in settings.hosts}
    # No page can make an address, in place of a name, point elsewhere.
    return Names(LOOPBACK | own | configured, numbers=listening)


def hosts(app: Asgi, ours: Names) -> Asgi:
    """Refuse what is meant for somebody else."""
    seen: set[bytes] = set()  # names of ours as they were written; at most a few

    def serve(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        found = headers(scope)
        host = found.get(b"host")
        if host is None or (len(found) < len(scope["headers"]) and _twice(scope)):
            return refuse(NO_HOST, scope, send)
        if host in seen:
            return app(scope, receive, send)
        if not ours.include(host):
            return refuse(_misdirected(host), scope, send)
        if len(seen) < MOST_SEEN:
            seen.add(host)
        return app(scope, receive, send)

    return serve


def name_of(host: str) -> str:
    """The host without its port, as names are compared."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower().rstrip(".")


def bracketed(host: str) -> str:
    """An address as it stands in a URL."""
    return f"[{host}]" if ":" in host else host


def is_number(name: str) -> bool:
    """Whether this is an address rather than a name."""
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def is_wildcard(host: str) -> bool:
    """Whether who listens here listens on every address."""
    return is_number(host) and ip_address(host).is_unspecified


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach what listens here."""
    return host == "localhost" or (is_number(host) and ip_address(host).is_loopback)


def _twice(scope: Scope) -> bool:
    return [name for name, _ in scope["headers"]].count(b"host") > 1


def _misdirected(host: bytes) -> Refusal:
    name = host[:100].decode("ascii", "replace")
    return Refusal(
        421,
        "wrong-host",
        f"{name!r} is not a name of this server; if it is, add it to WINDLASS_HOSTS",
    )
