"""Workers behind the bell of Redis: one job wakes one of them, and losing Redis loses no job."""

import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from os import kill

import pytest
import redis

from tests.services.redis import RedisServer
from tests.waiting import until
from windlass.app.jobtype import JobType
from windlass.config import Settings
from windlass.core.job import State, WorkerId
from windlass.executors.context import Context
from windlass.store.records import Claimed, Demand
from windlass.store.sql_store import SqlStore
from windlass.wiring import Windlass

WORKERS = 8
NEVER = timedelta(hours=1)
SECOND = timedelta(seconds=1)


class Yard:
    """Programs at one store and one Redis, each with a worker inside, and one that enqueues."""

    def __init__(self, store: str, server: RedisServer, poll: timedelta) -> None:
        self.server = server
        self.settings = Settings(store=store, redis=server.url, poll=poll)
        self.ran: list[int] = []
        self.app, self.note = self.program()

    def program(self) -> tuple[Windlass, JobType[[int], [int], Awaitable[None]]]:
        """Another program of the same app, and its job."""
        app = Windlass(settings=self.settings)
        return app, app.job(self._note)

    async def _note(self, number: int) -> None:
        self.ran.append(number)

    @asynccontextmanager
    async def working(self, workers: int) -> AsyncIterator[None]:
        """So many workers, all of whom wait for a token."""
        async with AsyncExitStack() as stack:
            for _ in range(workers):
                program, _ = self.program()
                await stack.enter_async_context(program)
                await stack.enter_async_context(program.worker())
            await stack.enter_async_context(self.app)
            await until(lambda: self.waiting() == workers)
            yield

    def waiting(self) -> int:
        """How many wait for a token."""
        with redis.Redis.from_url(self.server.url) as client:
            info: dict[str, int] = client.info("clients")
            return info["blocked_clients"]


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture
def claims(monkeypatch: pytest.MonkeyPatch) -> Counter[WorkerId]:
    """Counts the claim statements of every worker."""
    counted: Counter[WorkerId] = Counter()
    claim = SqlStore.claim

    async def counting(store: SqlStore, demand: Demand) -> Claimed:
        counted[demand.worker] += 1
        return await claim(store, demand)

    monkeypatch.setattr(SqlStore, "claim", counting)
    return counted


async def test_a_job_costs_hardly_more_than_one_claim_though_eight_workers_are_idle(
    store_url: str, server: RedisServer, claims: Counter[WorkerId]
) -> None:
    yard = Yard(store_url, server, poll=NEVER)
    async with yard.working(WORKERS):
        claims.clear()

        for number in range(200):
            await yard.note.enqueue(number)
        await until(lambda: len(yard.ran) == 200)

        assert claims.total() <= 1.2 * 200
    assert sorted(yard.ran) == list(range(200))


async def test_jobs_for_later_cost_no_more(
    store_url: str, server: RedisServer, claims: Counter[WorkerId]
) -> None:
    yard = Yard(store_url, server, poll=NEVER)
    async with yard.working(WORKERS):
        claims.clear()

        for number in range(20):
            await yard.note.options(delay=0.1).enqueue(number)
            await until(lambda: len(yard.ran) == number + 1)  # noqa: B023

        # One for the job, and half a second later one for the whole line; not one of each worker.
        assert claims.total() <= 3 * 20


async def test_a_batch_wakes_no_more_workers_than_it_has_jobs(
    store_url: str, server: RedisServer, claims: Counter[WorkerId]
) -> None:
    yard = Yard(store_url, server, poll=NEVER)
    async with yard.working(WORKERS):
        woken: list[int] = []

        # Now and then all of them look at the whole line, and a busy machine is not always in time.
        while len(woken) < 5 and min(woken, default=WORKERS) > 3:
            claims.clear()
            done = len(yard.ran) + 3
            await yard.app.enqueue_many(yard.note.job(number) for number in range(3))
            await until(lambda: len(yard.ran) == done)  # noqa: B023
            await until(lambda: yard.waiting() == WORKERS)
            woken.append(len(claims))

        assert min(woken) <= 3


async def test_a_handler_that_asks_for_its_own_job_is_told_that_it_runs(
    store_url: str, redis_url: str
) -> None:
    settings = Settings(store=store_url, redis=redis_url)
    program, reader = Windlass(settings=settings), Windlass(settings=settings)
    told: list[State] = []

    @program.job
    async def ask(ctx: Context) -> None:
        told.append((await reader.get(ctx.id)).state)

    async with program, reader, program.worker():
        await program.pause("default")
        jobs = await program.enqueue_many(ask.job() for _ in range(20))
        before = {(await reader.get(job.id)).state for job in jobs}  # and are kept in Redis so

        await program.resume("default")
        await until(lambda: len(told) == 20)

    assert before == {State.PENDING}
    assert set(told) == {State.RUNNING}


def killed(server: RedisServer) -> Iterator[None]:
    server.end_with(signal.SIGKILL)
    yield
    server.start()


def frozen(server: RedisServer) -> Iterator[None]:
    kill(server.pid, signal.SIGSTOP)
    yield
    kill(server.pid, signal.SIGCONT)


def emptied(server: RedisServer) -> Iterator[None]:
    with redis.Redis.from_url(server.url) as client:
        client.flushall()
        yield
        client.flushall()


def full(server: RedisServer) -> Iterator[None]:
    with redis.Redis.from_url(server.url) as client:
        client.config_set("maxmemory", 1)
        yield
        client.config_set("maxmemory", 0)


def evicting(server: RedisServer) -> Iterator[None]:
    with redis.Redis.from_url(server.url) as client:
        client.config_set("maxmemory-policy", "allkeys-random")
        client.config_set("maxmemory", 1)
        yield
        client.config_set("maxmemory", 0)


@pytest.mark.parametrize("befalls", [killed, frozen, emptied, full, evicting])
async def test_whatever_befalls_redis_every_job_runs_once(
    store_url: str, server: RedisServer, befalls: Callable[[RedisServer], Iterator[None]]
) -> None:
    yard = Yard(store_url, server, poll=SECOND)
    async with yard.working(2):
        numbers = iter(range(90))
        accident = befalls(server)
        for _ in range(3):
            for _ in range(30):
                await yard.note.enqueue(next(numbers))
            next(accident, None)
        await until(lambda: len(yard.ran) >= 90)

        await until(lambda: yard.waiting() == 2)
        await yard.note.enqueue(90)
        await until(lambda: len(yard.ran) == 91)
    assert sorted(yard.ran) == list(range(91))
