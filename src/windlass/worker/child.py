"""The inside of a worker process: becomes the worker its supervisor says, and obeys it."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, assert_never

from windlass.config import Settings
from windlass.core.job import State
from windlass.observe.events import AttemptsSettled, Event, Observer
from windlass.observe.relay import Told, packed
from windlass.worker.background import background
from windlass.worker.control import (
    Assignment,
    Cancel,
    Channel,
    Happened,
    Heard,
    Hello,
    Learn,
    Order,
    Report,
    Retire,
    Retired,
    Ring,
    Room,
    Scheduled,
    Started,
    Stop,
    to_supervisor,
)

if TYPE_CHECKING:  # a worker is read after Hello: see `serve`
    from windlass.worker.hired import Hired
    from windlass.worker.worker import Worker

ORPHANED = 4
# What is counted is told in portions; a supervisor that reads none misses the oldest.
TELL_EVERY = 0.25
MOST_TOLD = 1_000


# Makes the worker that an assignment asks for; it tells what happens to the observer too.
Hire: TypeAlias = "Callable[[Assignment, Observer], AbstractAsyncContextManager[Hired]]"


def cap_memory(more: int) -> None:
    """Let this process take so many bytes more of address space than it has with the app loaded."""
    statm = Path("/proc/self/statm")
    pages = int(statm.read_text().split()[0]) if statm.exists() else 0
    limit = pages * resource.getpagesize() + more
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


async def serve(
    settings: Settings, hire: Hire, control: socket.socket, prepare: Callable[[], None]
) -> None:
    """Say hello, be the worker that the answer names, and end when told or when left alone.

    Until the answer comes the supervisor opens the store, so that is when to `prepare`.
    """
    with closing(await to_supervisor(control)) as channel:
        channel.say(Hello(settings))
        prepare()
        orders = channel.hear()
        assignment = await anext(orders, None)
        if isinstance(assignment, Assignment):
            await _be(assignment, hire, channel, orders)


async def _be(
    assignment: Assignment,
    hire: Hire,
    channel: Channel[Report, Order],
    orders: AsyncIterator[Order],
) -> None:
    if assignment.memory is not None:
        cap_memory(assignment.memory)
    reporter = Reporter(channel, counted=assignment.counted)
    try:
        async with hire(assignment, reporter) as hired:
            await _work(hired, channel, orders, listens=assignment.listens)
    finally:
        reporter.flush()


class Reporter:
    """Tells the supervisor what it needs to know of what happens here."""

    def __init__(self, channel: Channel[Report, Order], *, counted: bool = False) -> None:
        """Report over this channel; with `counted` also what somebody counts there."""
        self._channel = channel
        self._counted = counted
        self._told: deque[Told] = deque(maxlen=MOST_TOLD)

    def on(self, event: Event) -> None:
        """Say that jobs were scheduled, perhaps for sooner than anyone looks; collect the rest."""
        if isinstance(event, AttemptsSettled) and event.counts.get(State.SCHEDULED):
            self._channel.hint(Scheduled())
        told = packed(event) if self._counted else None
        if told is not None:
            if not self._told:
                self._flush_later()
            self._told.append(told)

    def flush(self) -> None:
        """Tell what was collected."""
        if self._told:
            self._channel.say(Happened(list(self._told)))
            self._told.clear()

    def _flush_later(self) -> None:
        asyncio.get_running_loop().call_later(TELL_EVERY, self._flush_unless_full)

    def _flush_unless_full(self) -> None:
        if self._channel.full:
            self._flush_later()
        else:
            self.flush()


async def _work(
    hired: Hired, channel: Channel[Report, Order], orders: AsyncIterator[Order], *, listens: bool
) -> None:
    worker = hired.worker
    loop = asyncio.get_running_loop()
    # Who signals every process of a group means the supervisor, too; both shall mean one drain.
    loop.add_signal_handler(signal.SIGTERM, lambda: worker.stop(drain=True))
    await hired.enlist()
    channel.say(Started())
    channel.say(Room(worker.has_room))
    beside: list[Coroutine[Any, Any, None]] = [_obey(worker, channel, orders)]
    if listens:
        beside.append(hired.listen(lambda words: channel.hint(Heard(words))))
    async with background(*beside):
        await hired.run(lambda free: channel.say(Room(free)))


async def _obey(
    worker: Worker, channel: Channel[Report, Order], orders: AsyncIterator[Order]
) -> NoReturn:
    async for order in orders:
        match order:
            case Ring(wide):
                worker.ring(wide=wide)
            case Cancel(job, fence):
                worker.cancel(job, fence)
            case Learn(standing):
                worker.learn(standing)
            case Stop(drain):
                worker.stop(drain=drain)
            case Retire():
                _retire(worker, channel)
            case Assignment():
                continue
            case _:
                assert_never(order)
    # The supervisor is gone and the lease with it: what runs here may run elsewhere soon.
    os._exit(ORPHANED)


def _retire(worker: Worker, channel: Channel[Report, Order]) -> None:
    """End, unless there is a job: it may take longer than a drain would let it."""
    if worker.has_room:
        channel.say(Retired())
        worker.stop(drain=True)
