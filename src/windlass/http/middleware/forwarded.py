"""Believes proxies of ours when they say whom a request is from, and whether it came by https."""

from __future__ import annotations

from collections.abc import Awaitable, Collection
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TypeAlias

from windlass.core.errors import BadInput
from windlass.http.answer import Send
from windlass.http.middleware.layer import Asgi, headers
from windlass.http.request import Receive, Scope

Network: TypeAlias = IPv4Network | IPv6Network

SCHEMES = {b"http": "http", b"https": "https"}
MOST_ADDRESSES = 1024


class Proxies:
    """The addresses whose word counts. Anybody can write a header; they write over it."""

    def __init__(self, networks: Collection[str]) -> None:
        """Refuse what is no network."""
        self._networks = [_network(each) for each in networks]
        self.include = lru_cache(MOST_ADDRESSES)(self._include)

    def sender(self, told: bytes) -> str | None:
        """The last address of an X-Forwarded-For that is not one of ours."""
        for each in reversed(told.decode("latin-1").split(",")):
            address = each.strip()
            if not self.include(address):
                return address if _is_address(address) else None
        return None

    def _include(self, address: str) -> bool:
        return _is_address(address) and any(
            ip_address(address) in network for network in self._networks
        )


def forwarded(app: Asgi, proxies: Proxies) -> Asgi:
    """Put what a proxy of ours says in place of what the connection shows."""

    def serve(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        client = scope.get("client")
        if client is not None and proxies.include(client[0]):
            found = headers(scope)
            sender = proxies.sender(found.get(b"x-forwarded-for", b""))
            if sender is not None:
                scope["client"] = (sender, 0)
            scheme = SCHEMES.get(found.get(b"x-forwarded-proto", b""))
            if scheme is not None:
                scope["scheme"] = scheme
        return app(scope, receive, send)

    return serve


def _network(said: str) -> Network:
    try:
        return ip_network(said, strict=False)
    except ValueError:
        raise BadInput(f"proxies: {said!r} is no address and no network") from None


def _is_address(said: str) -> bool:
    try:
        ip_address(said)
    except ValueError:
        return False
    return True
