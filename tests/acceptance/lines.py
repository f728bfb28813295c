"""Lines between PostgreSQL and its clients that break at the worst moments."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

from tests.services.calls import Calls

CHUNK = 1 << 16
LATE = 0.8  # seconds that a request may stay on its way after its line was cut


class Lines:
    """Passes everything on, and now and then cuts the line under a request.

    The server may never get it, get it although nobody waits for the answer, or get it later than
    anybody would expect.
    """

    def __init__(self, url: str, chance: random.Random) -> None:
        self._target = urlsplit(url)
        self._place = (self._target.hostname, self._target.port)
        self._chance = chance
        self._calls = Calls(self._call)
        self.url = ""
        self.share = 0.0  # of requests that cost their line
        self.cuts = 0
        self.whole = asyncio.Event()  # while it is not, everything waits on its way
        self.whole.set()
        self.answering = asyncio.Event()  # while it is not set, answers wait, and requests do not
        self.answering.set()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Take calls while the block runs."""
        async with self._calls.taken() as port:
            user = self._target.username or "postgres"
            self.url = self._target._replace(netloc=f"{user}@127.0.0.1:{port}").geturl()
            yield

    async def _call(self, near: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        far, requests = await self._calls.reach(*self._place)
        answering = asyncio.create_task(self._answer(far, answers))
        try:
            await self._carry(near, requests, answers)
        finally:
            answering.cancel()
            requests.close()

    async def _carry(
        self,
        near: asyncio.StreamReader,
        requests: asyncio.StreamWriter,
        answers: asyncio.StreamWriter,
    ) -> None:
        while request := await near.read(CHUNK):
            await self.whole.wait()
            if self._chance.random() >= self.share:
                requests.write(request)
                continue
            self.cuts += 1
            answers.transport.abort()
            fate = self._chance.choice(("lost", "carried out", "late"))
            if fate == "late":
                await asyncio.sleep(self._chance.uniform(0, LATE))
            if fate != "lost":
                requests.write(request)
            return

    async def _answer(self, far: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while answer := await far.read(CHUNK):
                await self.whole.wait()
                await self.answering.wait()
                answers.write(answer)
            answers.close()
