"""Lines that are slow, narrow, break at random, or go on in one mind only."""

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.services.calls import Calls

CHUNK = 1 << 14


@dataclass(slots=True, eq=False)
class Call:
    """One connection through the lines."""

    near: asyncio.StreamWriter
    far: asyncio.StreamWriter
    listens: bool = False
    half_open: bool = False  # both ends believe in it, and nothing arrives any more

    def abort(self) -> None:
        """Reset both ends."""
        self.near.transport.abort()
        self.far.transport.abort()


class SlowLines:
    """Passes everything on, later, and at most so much a second; some chunks cost their line."""

    def __init__(self, url: str, chance: random.Random) -> None:
        self._target = urlsplit(url)
        self._chance = chance
        self._calls = Calls(self._call)
        self._open: set[Call] = set()
        self.url = ""
        self.delay = 0.0  # seconds each way
        self.rate = 1e9  # bytes a second and connection, each way
        self.share = 0.0  # of chunks that reset their connection
        self.resets = 0
        self.listened: list[float] = []  # when somebody began to listen, by the monotonic clock

    @property
    def port(self) -> int:
        """Where they begin."""
        return urlsplit(self.url).port or 0

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Take calls while the block runs."""
        async with self._calls.taken() as port:
            user = self._target.username or "postgres"
            self.url = self._target._replace(netloc=f"{user}@127.0.0.1:{port}").geturl()
            yield

    def lead_to(self, url: str) -> None:
        """Lead new calls elsewhere."""
        self._target = urlsplit(url)

    def hang_up(self) -> None:
        """Reset every connection."""
        for call in list(self._open):
            call.abort()

    def half_open(self, *, all_calls: bool = False) -> int:
        """Let those who listen, or all, hear nothing any more; answer with how many they are."""
        calls = [call for call in self._open if call.listens or all_calls]
        for call in calls:
            call.half_open = True
        return len(calls)

    async def _call(self, near: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        far, requests = await self._calls.reach(self._target.hostname, self._target.port)
        call = Call(answers, requests)
        self._open.add(call)
        try:
            await asyncio.gather(
                self._pass_on(near, requests, call), self._pass_on(far, answers, call)
            )
        finally:
            call.abort()
            self._open.discard(call)

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, call: Call
    ) -> None:
        loop, due = asyncio.get_running_loop(), 0.0
        with suppress(OSError):
            while chunk := await reader.read(CHUNK):
                if self._chance.random() < self.share:
                    self.resets += 1
                    call.abort()
                    return
                if b'LISTEN "' in chunk and not call.listens:
                    call.listens = True
                    self.listened.append(time.monotonic())
                due = max(loop.time() + self.delay, due) + len(chunk) / self.rate
                loop.call_at(due, self._arrive, writer, chunk, call)
                await asyncio.sleep(due - self.delay - loop.time())  # what does not fit has to wait
        loop.call_at(max(due, loop.time()), writer.close)

    def _arrive(self, writer: asyncio.StreamWriter, chunk: bytes, call: Call) -> None:
        if not call.half_open and not writer.transport.is_closing():
            writer.write(chunk)
