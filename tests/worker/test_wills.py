"""What has ended is written down before anybody is asked to commit it."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from tests.waiting import until
from tests.worker.yard import Yard
from windlass.core.job import JobId, State
from windlass.core.settle import Settlement
from windlass.executors.base import Snooze
from windlass.executors.context import Context


class Sheet:
    """A will that a test can read."""

    def __init__(self) -> None:
        self.ends: dict[JobId, Settlement] = {}

    def write(self, settlements: Sequence[Settlement]) -> None:
        """Put down how these ended."""
        self.ends |= {one.id: one for one in settlements}


class Gate:
    """Lets the calls of one method of a store through once it is open."""

    def __init__(self, yard: Yard, name: str) -> None:
        self.calls = 0
        self._open = asyncio.Event()
        self._act = getattr(yard.store, name)
        setattr(yard.store, name, self._pass)

    def open(self) -> None:
        """Let them through."""
        self._open.set()

    async def _pass(self, *args: Any) -> Any:
        self.calls += 1
        await self._open.wait()
        return await self._act(*args)


@pytest.fixture
def sheet(any_yard: Yard) -> Sheet:
    any_yard.will = sheet = Sheet()
    return sheet


async def test_what_has_ended_is_written_down_though_nothing_can_be_committed(
    any_yard: Yard, sheet: Sheet
) -> None:
    async def work() -> int:
        return 5

    async def snooze() -> None:
        raise Snooze(60)

    async def fail() -> None:
        raise RuntimeError("it broke")

    for handler in (work, snooze, fail):
        any_yard.handles(handler)
    settling = Gate(any_yard, "settle")
    async with any_yard.working():
        done = await any_yard.enqueue("work")
        await until(lambda: settling.calls)

        others = [await any_yard.enqueue("snooze"), await any_yard.enqueue("fail")]
        await until(lambda: len(sheet.ends) == 3)

        assert [await any_yard.state(job) for job in (done, *others)] == [State.RUNNING] * 3
        assert (sheet.ends[done].state, sheet.ends[done].result) == (State.COMPLETED, "5")
        assert [sheet.ends[job].reason for job in others] == ["snoozed", "failed"]
        settling.open()
        await any_yard.come_to(State.COMPLETED, done)


async def test_what_a_handler_has_said_is_kept_before_its_end_is_written_down(
    any_yard: Yard, sheet: Sheet
) -> None:
    async def work(ctx: Context) -> None:
        ctx.keep("report.txt", b"all is well")

    any_yard.handles(work)
    keeping, settling = Gate(any_yard, "keep"), Gate(any_yard, "settle")
    async with any_yard.working():
        job = await any_yard.enqueue("work")
        await until(lambda: keeping.calls)
        too_early = dict(sheet.ends)

        keeping.open()
        await until(lambda: settling.calls)

        assert too_early == {}
        assert sheet.ends[job].state is State.COMPLETED
        settling.open()
        await any_yard.come_to(State.COMPLETED, job)


async def test_what_is_handed_back_is_written_down_as_such(any_yard: Yard, sheet: Sheet) -> None:
    async def work() -> None:
        await asyncio.sleep(60)

    any_yard.handles(work)
    job = await any_yard.enqueue("work")
    async with any_yard.working(drain=0.0):
        await any_yard.come_to(State.RUNNING, job)

    assert sheet.ends[job].state is State.PENDING
    assert await any_yard.state(job) is State.PENDING
