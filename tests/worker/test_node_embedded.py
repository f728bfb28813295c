"""A worker inside another program: the same promises, on somebody else's event loop."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.recorder import Recorder
from tests.waiting import until
from windlass.core.job import State
from windlass.observe.events import LeaseLost, LeaseRenewed, NodeJoined, NodeLeft, WorkerStarted
from windlass.wiring import Windlass
from windlass.wiring.embedding import embedded_worker
from windlass.worker.settings import default_threads


class Host:
    """A program with an app, whose worker runs on the program's own loop."""

    def __init__(self, url: str) -> None:
        self.observer = Recorder()
        self.app = Windlass(url)
        self.app.storehouse.observer = self.observer
        self.entered = asyncio.Event()
        self.release = asyncio.Event()

        self.add = self.app.job(self._add)
        self.hog = self.app.job(self._hog)
        self.wait = self.app.job(self._wait)

    async def _add(self, a: int, b: int) -> int:
        return a + b

    async def _hog(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: ASYNC251 — the whole point

    async def _wait(self) -> None:
        self.entered.set()
        await self.release.wait()

    @asynccontextmanager
    async def worker(self) -> AsyncIterator[None]:
        """A worker while the block runs."""
        home = await self.app._homes.here()
        async with embedded_worker(self.app.storehouse, home.store, home.bell, self.app.registry):
            yield


@pytest.fixture(params=["sqlite_url", "memory", "postgres_url"])
def url(request: pytest.FixtureRequest) -> str:
    """Each kind of store in turn."""
    if request.param == "memory":
        return "sqlite:///:memory:"
    url: str = request.getfixturevalue(request.param)
    return url


@pytest.fixture
async def host(url: str) -> AsyncIterator[Host]:
    host = Host(url)
    async with host.app:
        yield host


async def test_jobs_run_while_the_block_does(host: Host) -> None:
    async with host.worker():
        job = await host.add.enqueue(a=1, b=2)
        done = await host.app.wait(job.id, timeout=30)

    assert (done.state, done.result) == (State.COMPLETED, 3)
    assert [type(event) for event in host.observer.events[:1]] == [NodeJoined]
    assert isinstance(host.observer.events[-1], NodeLeft)


async def test_leaving_the_block_lets_running_jobs_end(host: Host) -> None:
    async with host.worker():
        job = await host.wait.enqueue()
        await host.entered.wait()
        asyncio.get_running_loop().call_later(0.1, host.release.set)

    found = await host.app.get(job.id)
    assert found.state is State.COMPLETED


async def test_leaving_the_block_by_an_error_hands_jobs_back_and_raises_it(host: Host) -> None:
    job = await host.wait.enqueue()

    async def fail() -> None:
        async with host.worker():
            await host.entered.wait()
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        await fail()

    found = await host.app.get(job.id)
    assert (found.state, found.attempts) == (State.PENDING, 0)


async def test_a_handler_that_blocks_the_loop_does_not_stop_renewals(sqlite_url: str) -> None:
    host = Host(sqlite_url)
    async with host.app, host.worker():
        await until(lambda: host.observer.of(LeaseRenewed))
        before = len(host.observer.of(LeaseRenewed))
        job = await host.hog.enqueue(seconds=3.5)
        await host.app.wait(job.id, timeout=20)

        assert len(host.observer.of(LeaseRenewed)) > before
    assert host.observer.of(LeaseLost) == []


async def test_a_worker_that_the_fleet_forgot_begins_anew(host: Host) -> None:
    home = await host.app._homes.here()
    async with host.worker():
        [(node, *_)] = (await home.store.fleet()).nodes
        await home.store.leave(node.id)
        await until(lambda: len(host.observer.of(WorkerStarted)) == 2, at_most=30)
        job = await host.add.enqueue(a=1, b=2)
        done = await host.app.wait(job.id, timeout=30)

    assert done.state is State.COMPLETED


async def test_a_worker_that_begins_anew_does_not_grant_what_a_handler_will_not_give_back(
    sqlite_url: str,
) -> None:
    host = Host(sqlite_url)
    begun, let_go = threading.Event(), threading.Event()

    @host.app.job(thread_demand=default_threads())
    def cling() -> None:
        if not begun.is_set():
            begun.set()
            let_go.wait(60)  # whoever tells it to stop

    @host.app.job(thread_demand=1)
    def reckon() -> None: ...

    async with host.app, host.worker():
        await cling.enqueue()
        await until(begun.is_set)
        home = await host.app._homes.here()
        [(node, *_)] = (await home.store.fleet()).nodes
        await home.store.leave(node.id)
        await until(lambda: len(host.observer.of(WorkerStarted)) == 2, at_most=30)
        waits = await reckon.enqueue()
        for _ in range(3):  # what asks for no threads goes on
            await host.app.wait((await host.add.enqueue(a=1, b=2)).id, timeout=30)
        before = await host.app.get(waits.id)
        let_go.set()
        after = await host.app.wait(waits.id, timeout=30)

    assert (before.state, after.state) == (State.PENDING, State.COMPLETED)


async def test_a_type_that_is_declared_later_is_run_as_well(host: Host) -> None:
    def double(number: int) -> int:  # a plain one, though all the others run on the loop
        return 2 * number

    async with host.worker():
        await until(lambda: host.observer.of(WorkerStarted))
        job = await host.app.job(double).enqueue(number=21)
        done = await host.app.wait(job.id, timeout=30)
        [worker] = (await host.app.fleet()).workers

    assert (done.state, done.result) == (State.COMPLETED, 42)
    assert "double" in worker.record.types
