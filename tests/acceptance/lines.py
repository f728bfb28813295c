"""Lines between PostgreSQL and its clients that break at the worst moments."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

CHUNK = 1 << 16
LATE = 0.8  # seconds that a request may stay on its way after its line was cut


class Calls:
    """The calls that are going on, so that none of them outlives its lines."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()

    def join(self) -> None:
        """Be one of them, until the task that runs now has ended."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def end(self) -> None:
        """Cancel them, also those that were taken a moment ago, and return when all are over."""
        await asyncio.sleep(0.02)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)


class Lines:
    """Passes everything on, and now and then cuts the line under a request.

    The server may never get it, get it although nobody waits for the answer, or get it later than
    anybody would expect.
    """

    def __init__(self, url: str, chance: random.Random) -> None:
        self._target = urlsplit(url)
        self._place = (self._target.hostname, self._target.port)
        self._chance = chance
        self._calls = Calls()
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
        async with await asyncio.start_server(self._call, "127.0.0.1", 0) as server:
            host, port = server.sockets[0].getsockname()
            user = self._target.username or "postgres"
            self.url = self._target._replace(netloc=f"{user}@{host}:{port}").geturl()
            try:
                yield
            finally:
                server.close()
                await self._calls.end()

    async def _call(self, near: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        self._calls.join()
        try:
            far, requests = await asyncio.open_connection(*self._place)
        except (OSError, asyncio.CancelledError):
            answers.transport.abort()
            return
        answering = asyncio.create_task(self._answer(far, answers))
        try:
            await self._carry(near, requests, answers)
        except (OSError, asyncio.CancelledError):
            return  # the client is gone, or the test
        finally:
            answering.cancel()
            answers.close()
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
