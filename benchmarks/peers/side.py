"""A side of the comparison: how one scheduler prepares its store and takes jobs.

`python -m benchmarks.peers NAME COMMAND`, in the environment of that side alone, with
`SIDE_STORE` and `SIDE_LOG`, answers with one line of JSON:

    prepare                        make the schema in an empty store; say what the side can do
    enqueue KIND COUNT [SECONDS]   one by one; at most so many jobs, for at most so many seconds
    enqueue_many KIND COUNT [SECONDS]  the same by the bulk call, or else by many awaits at once
    fill KIND COUNT                by the fastest way there is; KIND `fifth`: one in five stumbles
    pickup COUNT                   now and then one
    effects                        the numbers that the jobs of kind `keep` have put into the store
    work                           be a worker, for libraries without a command for it

Connections are open and warm before the clock starts; jobs that only warm up have numbers below 0.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

Enqueue = Callable[[str, Iterable[int]], Any]

WARM_UP = 20
APART = 0.02  # seconds between two jobs of a pick-up
# How many jobs one call is given, by the way they are sent.
ONE_BY_ONE, MANY, CONCURRENT = 100, 1_000, 2_000
WIDTH = 100  # awaits at once, where there is no bulk call
# Settled after the warm-up, so that the first pick-up finds an idle worker.
IDLE = 0.5


@dataclass(frozen=True, kw_only=True)
class Side:
    """What the harness asks of a scheduler; each function may be plain or a coroutine function.

    A kind is `noop`, `noop_sync`, `nap`, `stumble`, or `keep`: a nap that puts its number into the
    store at last. `payload(kind, number)` is what its job gets.
    """

    prepare: Callable[[], Any]  # the schema, in an empty store
    enqueue: Enqueue  # one by one, each accepted before the next is sent
    enqueue_many: Enqueue | None = None  # the library's bulk call, with 1,000 jobs
    concurrent: Enqueue | None = None  # where there is none: many awaits at once, see `at_once`
    sync: bool = False  # whether `noop_sync`, a plain function, goes another way than `noop`
    # What `keep` has put there, if it can do so in the commit that ends the job.
    effects: Callable[[], Any] | None = None
    work: Callable[[], Any] | None = None  # a worker, where the library has no command for it
    # What is open while jobs are enqueued, and the event loop that it runs on.
    session: Callable[[], AbstractAsyncContextManager[Any]] = nullcontext
    loop: Callable[[], asyncio.AbstractEventLoop] | None = None

    @property
    def bulk(self) -> tuple[Enqueue, int] | None:
        """How it takes many jobs, and how many a call, if one by one is not the only way."""
        if self.enqueue_many is not None:
            return self.enqueue_many, MANY
        return None if self.concurrent is None else (self.concurrent, CONCURRENT)

    def told(self) -> dict[str, Any]:
        """What it can do."""
        ways = (("many", self.enqueue_many), ("concurrent", self.concurrent), ("none", True))
        return {
            "bulk": next(name for name, way in ways if way),
            "sync": self.sync,
            "effects": self.effects is not None,
        }


def payload(kind: str, number: int) -> dict[str, Any]:
    """What a job gets; made right before it is sent, as it says when that was."""
    made = {"i": number, "t": time.monotonic()}
    if kind not in {"nap", "keep"}:
        return made
    # Naps differ, so that they do not all end at once.
    return {**made, "seconds": float(os.environ["SIDE_NAP"]) * (1 + number % 5) / 3}


async def at_once(send: Callable[[int], Awaitable[Any]], numbers: Iterable[int]) -> None:
    """Send jobs with many awaits under way at any time."""
    left = iter(numbers)

    async def some() -> None:
        for number in left:
            await send(number)

    async with asyncio.TaskGroup() as group:
        for _ in range(WIDTH):
            group.create_task(some())


def main(side: Side, command: str, *words: str) -> None:
    """Do what the command line says, and answer with one line of JSON."""
    if side.work is not None and command == "work" and not inspect.iscoroutinefunction(side.work):
        side.work()  # without a loop around it
        return
    with asyncio.Runner(loop_factory=side.loop) as runner:
        answer = runner.run(COMMANDS[command](side, *words))
    print(json.dumps(answer))


async def prepare(side: Side) -> dict[str, Any]:
    """Make the schema."""
    await done(side.prepare())
    return side.told()


async def enqueue(side: Side, kind: str, count: str, seconds: str = "inf") -> dict[str, Any]:
    """One by one."""
    return await timed(side, (side.enqueue, ONE_BY_ONE), kind, int(count), float(seconds))


async def enqueue_many(side: Side, kind: str, count: str, seconds: str = "inf") -> dict[str, Any]:
    """By the bulk call."""
    if side.bulk is None:
        sys.exit("this side takes jobs one by one only")
    return await timed(side, side.bulk, kind, int(count), float(seconds))


async def fill(side: Side, kind: str, count: str) -> dict[str, Any]:
    """By the fastest way there is, and without a warm-up: these jobs are to be run."""
    way, size = side.bulk or (side.enqueue, MANY)
    async with side.session():
        for numbers in chunks(int(count), size):
            for one, share in dealt(kind, numbers):
                await done(way(one, share))
    return {"jobs": int(count)}


async def pickup(side: Side, count: str) -> dict[str, Any]:
    """Now and then one, for a worker that has nothing else to do."""
    async with side.session():
        await apart(side, range(-WARM_UP, 0))
        await asyncio.sleep(IDLE)
        await apart(side, range(int(count)))
    return {"jobs": int(count)}


async def effects(side: Side) -> dict[str, Any]:
    """What jobs have put into the store."""
    if side.effects is None:
        sys.exit("the effects of this side are not in its store")
    return {"numbers": await done(side.effects())}


async def work(side: Side) -> dict[str, Any]:
    """Be a worker until somebody ends it."""
    if side.work is None:
        sys.exit("the worker of this side has a command of its own")
    await side.work()
    return {}


COMMANDS: dict[str, Callable[..., Any]] = {
    command.__name__: command
    for command in (prepare, enqueue, enqueue_many, fill, pickup, effects, work)
}


async def timed(
    side: Side, by: tuple[Enqueue, int], kind: str, count: int, seconds: float
) -> dict[str, Any]:
    """How many jobs were taken, and within how many seconds."""
    way, size = by
    sent = 0
    async with side.session():
        await done(way(kind, range(-WARM_UP, 0)))
        began = time.perf_counter()
        for numbers in chunks(count, size):
            await done(way(kind, numbers))
            sent += len(numbers)
            if time.perf_counter() - began >= seconds:
                break
        return {"jobs": sent, "seconds": time.perf_counter() - began}


async def apart(side: Side, numbers: Iterable[int]) -> None:
    """One by one, a moment apart."""
    for number in numbers:
        await done(side.enqueue("noop", [number]))
        await asyncio.sleep(APART)


async def done(answer: Any) -> Any:
    """Wait for a function that was a coroutine function, and answer as it does."""
    return await answer if inspect.isawaitable(answer) else answer


def chunks(count: int, size: int) -> Iterator[range]:
    """The numbers below `count`, so many at a time."""
    for first in range(0, count, size):
        yield range(first, min(first + size, count))


def dealt(kind: str, numbers: range) -> list[tuple[str, Iterable[int]]]:
    """These numbers by kind; of `fifth`, every fifth stumbles."""
    if kind != "fifth":
        return [(kind, numbers)]
    stumbling = [number for number in numbers if number % 5 == 0]
    return [("stumble", stumbling), ("noop", [number for number in numbers if number % 5])]
