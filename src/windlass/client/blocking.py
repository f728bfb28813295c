"""The client for threads and scripts: it waits for the answers."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar, Unpack

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


def verb(talk: Callable[Concatenate[Line, P], Talk[T]]) -> Callable[Concatenate[Client, P], T]:
    """The talk as a method that waits for what it comes to."""

    @functools.wraps(talk)
    def wait(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._hold(talk(self._line, *args, **kwargs))

    return wait


class Client:
    """Asks a service. It may be shared by threads; leave its block, or close it, at the end."""

    def __init__(
        self,
        url: str = HERE,
        *,
        token: Token = None,
        timeout: float = 10.0,
        patience: Patience | None = None,
        http: httpx2.Client | None = None,
    ) -> None:
        """Connect when the first request comes; `timeout` is for each time that one is sent.

        A `token` that is a function is asked for each request. With `http`, requests go by a
        client of yours, which has its own timeout, proxies and certificates.
        """
        self._address = Address(url, token)
        self._line = Line(patience=patience or Patience())
        self._http = http or httpx2.Client(timeout=timeout)
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

    def jobs(self, **which: Unpack[Which]) -> Iterator[Job]:
        """Every job that fits, the newest first, read page by page."""
        page = self.page(**which)
        yield from page.jobs
        while page.next is not None:
            which["before"] = page.next
            page = self.page(**which)
            yield from page.jobs

    def watch(self, job_ids: Iterable[str]) -> Iterator[Job]:
        """Each of up to 400 jobs as it is, and whenever it has changed, until all are finished."""
        watch = Watch(self._line, job_ids)
        while not watch.is_over():
            with closing(self._events(watch)) as events:
                for event in events:
                    job = self._hold(watch.heed(event.event, event.data))
                    if job is not None:
                        yield job
                    if watch.is_over():
                        return
            time.sleep(watch.pause())

    def _events(self, watch: Watch) -> Generator[httpx2.ServerSentEvent]:
        """What is told until the stream ends; the watch hears why it did."""
        sent = self._address.to(watch.request())
        try:
            with self._http.stream(**sent, timeout=self._listening) as response:
                if response.is_success:
                    yield from httpx2.EventSource(response)
                else:
                    response.read()
                    watch.hear(answer(response))
        except httpx2.TransportError as problem:
            watch.hear(silence(problem))

    def close(self) -> None:
        """Close every connection."""
        self._http.close()

    def _hold(self, talk: Talk[T]) -> T:
        """Send what is asked and say what is heard, until the talk comes to a value."""
        try:
            ask = next(talk)
            while True:
                time.sleep(ask.after)
                ask = talk.send(self._send(ask.request))
        except StopIteration as end:
            value: T = end.value
            return value

    def _send(self, request: Request) -> Heard:
        try:
            response = self._http.request(**self._address.to(request))
        except httpx2.TransportError as problem:
            return silence(problem)
        return answer(response)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self._address!r})"
