"""The client for programs with an event loop: its answers are awaited."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable
from contextlib import aclosing
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, Unpack

from windlass.client import talks
from windlass.client.asking import Which
from windlass.client.exchange import Heard, Request, Talk
from windlass.client.line import Line
from windlass.client.patience import Patience
from windlass.client.transport import HERE, Address, Token, answer, httpx2, silence
from windlass.client.watch import SIGN_OF_LIFE, Watch
from windlass.wire.jobs import Job

P = ParamSpec("P")
T = TypeVar("T")


def verb(
    talk: Callable[Concatenate[Line, P], Talk[T]],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    """The talk as a method that comes to the same, awaited."""

    @functools.wraps(talk)
    async def wait(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._hold(talk(self._line, *args, **kwargs))

    return wait


class AsyncClient:
    """Asks a service. It lives on one event loop; leave its block, or close it, at the end."""

    def __init__(
        self,
        url: str = HERE,
        *,
        token: Token = None,
        timeout: float = 10.0,
        patience: Patience | None = None,
        http: httpx2.AsyncClient | None = None,
    ) -> None:
        """Connect when the first request comes; `timeout` is for each time that one is sent.

        The arguments are those of `Client`.
        """
        self._address = Address(url, token)
        self._line = Line(patience=patience or Patience())
        self._http = http or httpx2.AsyncClient(timeout=timeout)
        self._listening = httpx2.Timeout(timeout, read=SIGN_OF_LIFE)

    submit = verb(talks.submit)
    submit_many = verb(talks.submit_many)
    get = verb(talks.get)
    page = verb(talks.page)
    wait = verb(talks.wait)
    cancel = verb(talks.cancel)
    retry = verb(talks.retry)
    run_now = verb(talks.run_now)
    replay = verb(talks.replay)
    delete = verb(talks.delete)
    bulk = verb(talks.bulk)
    explain = verb(talks.explain)
    links = verb(talks.links)
    attempts = verb(talks.attempts)
    lines = verb(talks.lines)
    progress = verb(talks.progress)
    kept = verb(talks.kept)
    queues = verb(talks.queues)
    queue = verb(talks.queue)
    pause = verb(talks.pause)
    resume = verb(talks.resume)
    workers = verb(talks.workers)
    types = verb(talks.types)
    incidents = verb(talks.incidents)
    stats = verb(talks.stats)
    ready = verb(talks.ready)

    async def jobs(self, **which: Unpack[Which]) -> AsyncIterator[Job]:
        """Every job that fits, the newest first, read page by page."""
        page = await self.page(**which)
        for job in page.jobs:
            yield job
        while page.next is not None:
            which["before"] = page.next
            page = await self.page(**which)
            for job in page.jobs:
                yield job

    async def watch(self, job_ids: Iterable[str]) -> AsyncIterator[Job]:
        """Each of up to 400 jobs as it is, and whenever it has changed, until all are finished."""
        watch = Watch(self._line, job_ids)
        while not watch.is_over():
            async with aclosing(self._events(watch)) as events:
                async for event in events:
                    job = await self._hold(watch.heed(event.event, event.data))
                    if job is not None:
                        yield job
                    if watch.is_over():
                        return
            await asyncio.sleep(watch.pause())

    async def _events(self, watch: Watch) -> AsyncGenerator[httpx2.ServerSentEvent]:
        """What is told until the stream ends; the watch hears why it did."""
        sent = self._address.to(watch.request())
        try:
            async with self._http.stream(**sent, timeout=self._listening) as response:
                if response.is_success:
                    async for event in httpx2.EventSource(response):
                        yield event
                else:
                    await response.aread()
                    watch.hear(answer(response))
        except httpx2.TransportError as problem:
            watch.hear(silence(problem))

    async def close(self) -> None:
        """Close every connection."""
        await self._http.aclose()

    async def _hold(self, talk: Talk[T]) -> T:
        """Send what is asked and say what is heard, until the talk comes to a value."""
        try:
            ask = next(talk)
            while True:
                await asyncio.sleep(ask.after)
                ask = talk.send(await self._send(ask.request))
        except StopIteration as end:
            value: T = end.value
            return value

    async def _send(self, request: Request) -> Heard:
        try:
            response = await self._http.request(**self._address.to(request))
        except httpx2.TransportError as problem:
            return silence(problem)
        return answer(response)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncClient({self._address!r})"
