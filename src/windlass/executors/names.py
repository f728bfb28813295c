"""Resolves names as the system does, without one that hangs keeping others waiting."""

from __future__ import annotations

import asyncio
import socket
import threading

from aiohttp.abc import AbstractResolver, ResolveResult

# Names that are looked up at once. The event loop's own threads are few, and a server of names
# that is away holds one for many seconds.
AT_ONCE = 32


class SystemNames(AbstractResolver):
    """Asks the system, each time in a thread that does not keep the process from ending."""

    def __init__(self) -> None:
        """Ask nothing yet."""
        self._free = asyncio.Semaphore(AT_ONCE)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Every address of the host."""
        await self._free.acquire()
        answer: asyncio.Future[list[ResolveResult]] = asyncio.get_running_loop().create_future()
        look_up = Lookup(self._free, answer, host, port, family)
        try:
            threading.Thread(target=look_up.run, name="windlass-names", daemon=True).start()
        except RuntimeError:  # the system gives no more threads
            self._free.release()
            raise
        return await answer

    async def close(self) -> None:
        """Nothing stays open."""


class Lookup:
    """One question; its thread counts until it ends, though nobody may wait for it any more."""

    def __init__(
        self,
        free: asyncio.Semaphore,
        answer: asyncio.Future[list[ResolveResult]],
        host: str,
        port: int,
        family: socket.AddressFamily,
    ) -> None:
        """Ask for the addresses of `host`."""
        self._free = free
        self._answer = answer
        self._loop = answer.get_loop()
        self._host = host
        self._port = port
        self._family = family

    def run(self) -> None:
        """Ask, in a thread."""
        try:
            found: list[ResolveResult] | OSError = self._found()
        except (OSError, UnicodeError) as problem:
            found = problem if isinstance(problem, OSError) else OSError(str(problem))
        try:
            self._loop.call_soon_threadsafe(self._tell, found)
        except RuntimeError:
            return  # the loop is closed, and nobody waits

    def _found(self) -> list[ResolveResult]:
        kind = socket.SOCK_STREAM
        return [
            ResolveResult(
                hostname=self._host,
                host=str(address[0]),
                port=self._port,
                family=family,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for family, _, protocol, _, address in socket.getaddrinfo(
                self._host, self._port, self._family, kind, flags=socket.AI_ADDRCONFIG
            )
        ]

    def _tell(self, found: list[ResolveResult] | OSError) -> None:
        self._free.release()
        if self._answer.done():
            return
        if isinstance(found, OSError):
            self._answer.set_exception(found)
        else:
            self._answer.set_result(found)
