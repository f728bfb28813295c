"""The way out to other hosts, shared by all who call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from windlass.clock import Chance, Clock
from windlass.executors.base import Discard
from windlass.executors.exchange import Message, Reply, Terms, Unreachable
from windlass.executors.hosts import Hosts
from windlass.executors.per_loop import PerLoop
from windlass.executors.reach import Forbidden, Reach

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver

    from windlass.executors.client import Client

# The host, or what stands before it, says that it cannot take requests at all.
HOST_DOWN = frozenset({502, 503, 504})


class Door:
    """Sends requests to what is within reach, and spares hosts that are not well."""

    def __init__(
        self, reach: Reach, clock: Clock, chance: Chance, resolver: AbstractResolver | None = None
    ) -> None:
        """Open nothing yet."""
        self._reach = reach
        self._clock = clock
        self._chance = chance
        self._resolver = resolver
        self._clients: PerLoop[Client] = PerLoop(self._open)

    async def send(self, message: Message, terms: Terms, check: Callable[[], None]) -> Reply:
        """Send a request when it is its turn.

        `check` raises if it must not go out any more; it is asked last. A place out of reach is a
        `Discard`; no answer is `Unreachable`; a host that has enough to do is a `Snooze`.
        """
        name = _host(message.url)
        async with self._clients.use() as client:
            host = client.hosts.at(name)
            async with host.turn():
                check()
                try:
                    reply = await client.send(message, terms)
                except Forbidden as problem:
                    raise Discard(f"{name} is out of reach: {problem}") from None
                except Unreachable as problem:
                    host.failed()
                    raise Unreachable(f"{name}: {problem}") from None
                if reply.status in HOST_DOWN:
                    host.failed()
                else:
                    host.answered()
                return reply

    async def close(self) -> None:
        """Close every connection of this event loop."""
        await self._clients.close()

    def _open(self) -> Client:
        # Imported late: who only enqueues calls nobody.
        from windlass.executors.client import Client  # noqa: PLC0415

        return Client(self._reach, Hosts(self._clock, self._chance), self._resolver)


def _host(url: str) -> str:
    """Host and port, which is all of a URL that may be told: its path can be a secret."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
