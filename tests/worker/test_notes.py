"""What handlers say is kept: bounded, the last word included, and never after the end."""

import asyncio
import time
from collections.abc import Callable

import pytest

from tests.waiting import until
from tests.worker.yard import Yard
from windlass.core.errors import BadInput
from windlass.core.job import State
from windlass.executors.context import MAX_FILE, Context


async def test_progress_is_kept_twice_a_second_and_at_the_end(any_yard: Yard) -> None:
    kept: list[float] = []
    began = time.monotonic()

    async def work(ctx: Context) -> None:
        for step in range(1, 101):
            ctx.progress(step / 100, f"step {step}")
            await asyncio.sleep(0.001)

    any_yard.handles(work)
    job = await any_yard.enqueue("work")
    note = any_yard.store.note

    async def counted(progress: list[object], lines: list[object]) -> None:
        kept.extend(getattr(one, "fraction") for one in progress)  # noqa: B009
        await note(progress, lines)  # type: ignore[arg-type]

    any_yard.store.note = counted  # type: ignore[method-assign,assignment]
    async with any_yard.working():
        await any_yard.come_to(State.COMPLETED, job)

    last = await any_yard.store.progress(job)
    assert last is not None
    assert (last.fraction, last.message) == (1.0, "step 100")
    assert len(kept) <= 3 + 2 * (time.monotonic() - began)


async def test_progress_of_a_long_job_is_seen_while_it_runs(yard: Yard) -> None:
    go_on = asyncio.Event()

    async def work(ctx: Context) -> None:
        ctx.progress(0.25)
        await go_on.wait()

    yard.handles(work)
    job = await yard.enqueue("work")

    async def seen() -> bool:
        progress = await yard.store.progress(job)
        return progress is not None and progress.fraction == 0.25

    async with yard.working():
        await until(seen)
        go_on.set()


async def test_a_thousand_lines_are_kept_and_the_last_says_so(yard: Yard) -> None:
    def work(ctx: Context) -> None:
        for number in range(1, 1_501):
            ctx.log(f"line {number}")

    yard.handles(work)
    job = await yard.enqueue("work")

    async with yard.working():
        await yard.come_to(State.COMPLETED, job)

    lines = await yard.store.lines(job)
    assert len(lines) == 1_000
    assert lines[998].message == "line 999"
    assert lines[999].message == "no more than 1,000 lines are kept"


async def test_no_secret_is_kept_of_what_a_handler_says(yard: Yard) -> None:
    async def work(ctx: Context) -> None:
        ctx.log("asked postgres://ada:lovelace@db/jobs")
        ctx.progress(0.5, "signs with whsec_bG92ZWxhY2U")

    yard.handles(work)
    job = await yard.enqueue("work")

    async with yard.working():
        await yard.come_to(State.COMPLETED, job)

    [line] = await yard.store.lines(job)
    progress = await yard.store.progress(job)
    assert line.message == "asked postgres://ada:***@db/jobs"
    assert progress is not None
    assert progress.message == "signs with whsec_***"


async def test_a_file_is_there_when_the_job_is_done(any_yard: Yard) -> None:
    async def work(ctx: Context) -> None:
        ctx.keep("a.txt", b"old", "text/plain")
        ctx.keep("a.txt", b"new", "text/plain")

    any_yard.handles(work)
    job = await any_yard.enqueue("work")

    async with any_yard.working():
        await any_yard.come_to(State.COMPLETED, job)

    kept = await any_yard.store.kept(job, "a.txt")
    assert kept is not None
    assert kept.content == b"new"


async def test_what_cannot_be_kept_is_refused_at_once(yard: Yard) -> None:
    problems: list[str] = []

    async def work(ctx: Context) -> None:
        sayings: list[Callable[[], None]] = [
            lambda: ctx.progress(float("nan")),
            lambda: ctx.log("hello", level="loud"),  # type: ignore[arg-type]
            lambda: ctx.keep("a/b", b""),
            lambda: ctx.keep("", b""),
            lambda: ctx.keep("large", bytes(MAX_FILE + 1)),
        ]
        for say in sayings:
            with pytest.raises(BadInput) as refused:
                say()
            problems.append(str(refused.value))
        ctx.progress(7)  # over the top is the top

    yard.handles(work)
    job = await yard.enqueue("work")

    async with yard.working():
        await yard.come_to(State.COMPLETED, job)

    assert len(problems) == 5
    progress = await yard.store.progress(job)
    assert progress is not None
    assert progress.fraction == 1.0


async def test_notes_of_a_lost_claim_are_dropped(yard: Yard) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def work(ctx: Context) -> None:
        begun.set()
        await go_on.wait()
        ctx.log("too late")

    yard.handles(work)
    job = await yard.enqueue("work")

    async with yard.working() as worker:
        await begun.wait()
        await yard.reclaim_from(worker)
        go_on.set()
        await until(lambda: not worker._slots.running)

    assert await yard.store.lines(job) == []
    assert worker._notes._pages == {}


async def test_text_of_any_kind_can_be_said(any_yard: Yard) -> None:
    async def work(ctx: Context) -> None:
        ctx.log("nul \0, half a pair \ud800, é, " + "long " * 5_000)
        ctx.progress(0.5, "\0")

    any_yard.handles(work)
    job = await any_yard.enqueue("work")

    async with any_yard.working():
        await any_yard.come_to(State.COMPLETED, job)

    [line] = await any_yard.store.lines(job)
    assert line.message.startswith("nul \N{REPLACEMENT CHARACTER}, half a pair ?, é, long")
    assert line.message.endswith("…")
