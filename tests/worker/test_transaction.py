"""Effects and the end of the attempt in one commit, on both stores, in coroutines and threads."""

import asyncio
from typing import Any

from tests.waiting import until
from tests.worker.yard import Yard
from windlass.core.job import State
from windlass.executors.context import Context
from windlass.observe.events import AttemptFailed, AttemptsSettled


async def write(connection: Any) -> None:
    """Leave an effect that both dialects know: pause a queue."""
    await connection.execute(
        "insert into windlass_queues (name, paused_at, paused_by)"
        " select 'effect', created_at, 'me' from windlass_jobs limit 1"
    )


async def paused(yard: Yard) -> bool:
    """Whether the effect is there."""
    return any(queue.name == "effect" for queue in await yard.store.queues())


async def test_the_end_of_the_block_settles_the_attempt(any_yard: Yard) -> None:
    go_on = asyncio.Event()

    async def work(ctx: Context) -> None:
        ctx.log("before")
        async with ctx.transaction() as connection:
            await write(connection)
            ctx.result("from the block")
        await go_on.wait()

    any_yard.handles(work)
    job = await any_yard.enqueue("work")

    async with any_yard.working() as worker:
        [done] = await any_yard.come_to(State.COMPLETED, job)
        assert worker._slots.running == 1
        go_on.set()
        await until(lambda: not worker._slots.running)

    assert done.result == '"from the block"'
    assert await paused(any_yard)
    assert [line.message for line in await any_yard.store.lines(job)] == ["before"]
    assert any_yard.settled() == 1


async def test_an_error_in_the_block_undoes_its_effects(any_yard: Yard) -> None:
    async def work(ctx: Context) -> None:
        async with ctx.transaction() as connection:
            await write(connection)
            raise ValueError("no")

    any_yard.handles(work)
    job = await any_yard.enqueue("work", max_attempts=1)

    async with any_yard.working():
        [failed] = await any_yard.come_to(State.FAILED, job)

    assert failed.error == "ValueError: no"
    assert not await paused(any_yard)


async def test_what_is_raised_after_the_block_changes_nothing(yard: Yard) -> None:
    async def work(ctx: Context) -> None:
        async with ctx.transaction():
            ctx.result(1)
        ctx.result(2)
        raise ValueError("too late")

    yard.handles(work)
    job = await yard.enqueue("work")

    async with yard.working():
        await until(lambda: yard.seen.of(AttemptFailed))
        [done] = await yard.come_to(State.COMPLETED, job)

    [told] = yard.seen.of(AttemptFailed)
    assert told.error == "after its end: ValueError: too late"
    assert (done.result, done.failures) == ("1", 0)
    assert [dict(event.counts) for event in yard.seen.of(AttemptsSettled)] == [{State.COMPLETED: 1}]


async def test_a_lost_claim_undoes_the_effects(any_yard: Yard) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()
    problems: list[str] = []

    async def work(ctx: Context) -> None:
        begun.set()
        await go_on.wait()
        try:
            async with ctx.transaction() as connection:
                await write(connection)
        except Exception as problem:
            problems.append(type(problem).__name__)
            raise

    any_yard.handles(work)
    job = await any_yard.enqueue("work")

    async with any_yard.working() as worker:
        await begun.wait()
        await any_yard.reclaim_from(worker)
        go_on.set()
        await until(lambda: problems)
        await until(lambda: not worker._slots.running)

    assert problems == ["ClaimLost"]
    assert not await paused(any_yard)
    assert (await any_yard.job(job)).failures == 0


async def test_it_can_be_had_only_once(yard: Yard) -> None:
    async def work(ctx: Context) -> None:
        ctx.transaction()
        ctx.transaction()

    yard.handles(work)
    job = await yard.enqueue("work", max_attempts=1)

    async with yard.working():
        [failed] = await yard.come_to(State.FAILED, job)

    assert (
        failed.error == "BadInput: ctx.transaction() ends the attempt, so it can be had only once"
    )


async def test_a_plain_function_has_it_with_a_plain_with(any_yard: Yard) -> None:
    def work(ctx: Context) -> None:
        ctx.log("before")
        with ctx.transaction() as connection:
            connection.execute(
                "insert into windlass_queues (name, paused_at, paused_by)"
                " select 'effect', created_at, 'me' from windlass_jobs limit 1"
            )
            ctx.result("plain")

    any_yard.handles(work)
    job = await any_yard.enqueue("work")

    async with any_yard.working():
        [done] = await any_yard.come_to(State.COMPLETED, job)

    assert done.result == '"plain"'
    assert await paused(any_yard)
    assert [line.message for line in await any_yard.store.lines(job)] == ["before"]


async def test_a_coroutine_is_told_to_use_async_with(yard: Yard) -> None:
    async def work(ctx: Context) -> None:
        with ctx.transaction():
            pass

    yard.handles(work)
    job = await yard.enqueue("work", max_attempts=1)

    async with yard.working():
        [failed] = await yard.come_to(State.FAILED, job)

    assert failed.error == "BadInput: in a coroutine it is `async with ctx.transaction()`"
