"""A block that goes wrong: whose fault it is, and what it costs whom."""

import asyncio
import threading
import time
from contextlib import suppress

import psycopg

from tests.waiting import until
from tests.worker.yard import Yard, open_yard
from windlass.core.job import JobId, State
from windlass.core.settle import Settlement
from windlass.executors.context import Context
from windlass.store.postgres_pool import CONNECT_TIMEOUT

HANG_UP = "select pg_terminate_backend(pg_backend_pid())"


async def test_an_error_of_the_handlers_own_is_no_outage(any_yard: Yard) -> None:
    async def work(ctx: Context) -> None:
        async with ctx.transaction():
            raise FileNotFoundError("mine")

    def plain_work(ctx: Context) -> None:
        with ctx.transaction():
            raise TimeoutError("mine too")

    any_yard.handles(work)
    any_yard.handles(plain_work)
    jobs = [await any_yard.enqueue(type_, max_attempts=1) for type_ in ("work", "plain_work")]

    async with any_yard.working():
        failed = await any_yard.come_to(State.FAILED, *jobs)

    assert [job.error for job in failed] == ["FileNotFoundError: mine", "TimeoutError: mine too"]


async def test_a_connection_lost_inside_of_a_block_is_not_charged(postgres_url: str) -> None:
    lost: list[JobId] = []

    def first_time(ctx: Context) -> bool:
        lost.append(ctx.id)
        return lost.count(ctx.id) == 1

    async def work(ctx: Context) -> None:
        async with ctx.transaction() as connection:
            if first_time(ctx):
                await connection.execute(HANG_UP)

    def plain_work(ctx: Context) -> None:
        with ctx.transaction() as connection:
            if first_time(ctx):
                connection.execute(HANG_UP)

    async with open_yard(postgres_url) as yard:
        yard.handles(work)
        yard.handles(plain_work)
        jobs = [await yard.enqueue(type_) for type_ in ("work", "plain_work")]
        async with yard.working():
            await until(lambda: len(lost) == 2)
            scheduled = await yard.come_to(State.SCHEDULED, *jobs)
            await until(lambda: promoted(yard))
            completed = await yard.come_to(State.COMPLETED, *jobs)

    assert [job.failures for job in scheduled] == [0, 0]
    assert [(job.failures, job.attempts) for job in completed] == [(0, 1), (0, 1)]


async def test_a_connection_that_was_closed_while_idle_is_not_lent(postgres_url: str) -> None:
    async def done(yard: Yard) -> None:
        [job] = await yard.come_to(State.COMPLETED, await yard.enqueue("work"))
        assert job.attempts == 1

    def work(ctx: Context) -> None:
        with ctx.transaction() as connection:
            pids.append(connection.info.backend_pid)

    pids: list[int] = []
    async with open_yard(postgres_url) as yard:
        yard.handles(work)
        async with yard.working():
            await done(yard)
            with psycopg.connect(postgres_url, autocommit=True) as connection:
                connection.execute("select pg_terminate_backend(%s, 5000)", pids)
            await done(yard)

    assert len(set(pids)) == 2


async def test_a_handler_waits_for_its_turn_at_a_connection_as_long_as_it_takes(
    postgres_url: str,
) -> None:
    # A hundred at ten connections: the last wait longer than anyone waits for a server.
    seconds = 1.2 * CONNECT_TIMEOUT / 10

    async def work(ctx: Context) -> None:
        async with ctx.transaction():
            await asyncio.sleep(seconds)

    async with open_yard(postgres_url) as yard:
        yard.handles(work)
        jobs = await yard.enqueue_many("work", 100)
        async with yard.working():
            done = await yard.come_to(State.COMPLETED, *jobs, at_most=50)

    assert {job.attempts for job in done} == {1}


async def test_plain_blocks_pass_a_pooler_that_shares_connections(pgbouncer_url: str) -> None:
    def work(ctx: Context) -> None:
        with ctx.transaction() as connection:
            connection.execute("select 1")

    async with open_yard(pgbouncer_url, pgbouncer=True) as yard:
        yard.handles(work)
        jobs = await yard.enqueue_many("work", 200)
        async with yard.working():
            done = await yard.come_to(State.COMPLETED, *jobs)

    assert {job.failures for job in done} == {0}


async def test_a_turn_that_is_given_up_as_it_comes_holds_nobody_up(yard: Yard) -> None:
    go_on = threading.Event()

    def use_first() -> None:
        with suppress(Undone), yard.effects.blocking(never):
            go_on.wait()
            raise Undone

    async def use_second() -> None:
        async with yard.effects.block(never):
            raise AssertionError("it was cancelled")

    first = asyncio.create_task(asyncio.to_thread(use_first))
    await asyncio.sleep(0.1)
    second = asyncio.create_task(use_second())
    await asyncio.sleep(0.1)
    go_on.set()
    time.sleep(0.1)  # noqa: ASYNC251 — its turn comes while this loop is busy …
    second.cancel()  # … and it is cancelled before it can tell
    began = time.monotonic()
    await yard.store.pause("another", "me")

    assert time.monotonic() - began < 20
    await asyncio.wait([first, second])


class Undone(Exception):
    """Rolls a block back."""


def never() -> Settlement:
    """No block comes to its end here."""
    raise AssertionError


async def promoted(yard: Yard) -> bool:
    """Put what is due in line; whether that was the last of it."""
    await yard.store.promote(100)
    return (await yard.store.counts())[State.SCHEDULED] == 0
