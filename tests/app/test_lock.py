"""One at a time in the whole fleet: by threads, by tasks, by processes that freeze and die."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.waiting import until
from windlass import Windlass
from windlass.app.lock import Hold
from windlass.core.errors import BadInput, BadStore, LockLost, LockTaken, StoreAway

ROOT = Path(__file__).parents[2]


@pytest.fixture
async def another(store_url: str) -> AsyncIterator[Windlass]:
    """Another app on the same store, as another process would have it."""
    async with Windlass(store_url) as app:
        yield app


async def end_now(app: Windlass, hold: Hold) -> None:
    """Take the lock from its holder, as if its time had passed."""
    await (await app.home()).store.unlock(hold.name, hold.token)


async def test_a_lock_is_held_by_one_at_a_time(app: Windlass, another: Windlass) -> None:
    async with app.lock("report") as first:
        with pytest.raises(LockTaken, match="'report' was held"):
            async with another.lock("report", timeout=0):
                pass
        async with another.lock("another", timeout=0):
            pass
    async with another.lock("report", timeout=0) as second:
        assert second.token > first.token


async def test_a_lock_serialises_those_who_want_it(app: Windlass, another: Windlass) -> None:
    inside, most, tokens = 0, 0, []

    async def work(app: Windlass) -> None:
        nonlocal inside, most
        async with app.lock("report") as lock:
            inside += 1
            most = max(most, inside)
            tokens.append(lock.token)
            await asyncio.sleep(0.002)
            inside -= 1

    await asyncio.gather(*(work(one) for one in [app, another] * 10))

    assert most == 1
    assert tokens == sorted(set(tokens))
    assert len(tokens) == 20


async def test_who_waits_gets_it_soon_after_it_is_given_back(
    app: Windlass, another: Windlass
) -> None:
    loop = asyncio.get_running_loop()
    async with app.lock("report"):
        waiting = asyncio.create_task(taken_at(another))
        await asyncio.sleep(0.3)
    freed = loop.time()

    assert await waiting - freed < 10.0


async def taken_at(app: Windlass) -> float:
    """When the lock was had."""
    async with app.lock("report", timeout=20):
        return asyncio.get_running_loop().time()


async def test_who_gives_up_waiting_leaves_the_lock_alone(app: Windlass, another: Windlass) -> None:
    async with app.lock("report"):
        waiting = [asyncio.create_task(taken_at(another)) for _ in range(3)]
        await asyncio.sleep(0.05)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    async with app.lock("report", timeout=0):
        pass


async def test_who_is_cancelled_while_asking_gives_back_what_it_got(app: Windlass) -> None:
    for moment in range(12):
        asking = asyncio.create_task(taken_at(app))
        for _ in range(moment):
            await asyncio.sleep(0.0002)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

        async with app.lock("report", timeout=15):  # long before it would end by itself
            pass


async def test_who_is_cancelled_while_giving_back_gives_back(
    app: Windlass, another: Windlass, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = (await app.home()).store
    unlock, began, go_on = store.unlock, asyncio.Event(), asyncio.Event()

    async def slow(name: str, token: int) -> None:
        began.set()
        await go_on.wait()
        await unlock(name, token)

    monkeypatch.setattr(store, "unlock", slow)
    leaving = asyncio.create_task(taken_at(app))
    await began.wait()

    leaving.cancel()
    asyncio.get_running_loop().call_later(0.02, go_on.set)
    await asyncio.gather(leaving, return_exceptions=True)

    assert leaving.cancelled()
    async with another.lock("report", timeout=0):
        pass


async def test_a_lock_is_renewed_for_as_long_as_the_block_takes(
    app: Windlass, another: Windlass
) -> None:
    async with app.lock("report", ttl=3) as lock:
        await asyncio.sleep(3.5)
        lock.check()
        with pytest.raises(LockTaken):
            async with another.lock("report", timeout=0):
                pass


async def test_a_block_whose_lock_was_lost_is_interrupted(app: Windlass) -> None:
    with pytest.raises(LockLost, match="token"):  # noqa: PT012 — what happens to a block is what is tested
        async with app.lock("report", ttl=0.5) as lock:
            await end_now(app, lock)
            await asyncio.sleep(20)

    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_block_is_told_before_anybody_else_can_have_the_lock(
    app: Windlass, another: Windlass, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = (await app.home()).store

    async def away(*_: object) -> bool:
        raise StoreAway("gone")

    monkeypatch.setattr(store, "renew_lock", away)
    monkeypatch.setattr(store, "unlock", away)
    waiting: asyncio.Task[float] | None = None
    with pytest.raises(LockLost):  # noqa: PT012 — what happens to a block is what is tested
        async with app.lock("report", ttl=2):
            waiting = asyncio.create_task(taken_at(another))
            await asyncio.sleep(20)
    told = asyncio.get_running_loop().time()

    assert waiting is not None
    assert not waiting.done()
    assert 0 < await waiting - told < 10.0


@pytest.mark.parametrize("problem", [BadStore("read-only"), RuntimeError("out of memory")])
async def test_a_block_is_interrupted_whatever_keeps_its_lock_from_being_renewed(
    app: Windlass, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    async def fail(*_: object) -> bool:
        raise problem

    monkeypatch.setattr((await app.home()).store, "renew_lock", fail)

    with pytest.raises(LockLost):
        async with asyncio.timeout(20), app.lock("report", ttl=0.5):
            await asyncio.Event().wait()


async def test_a_block_that_blocks_its_event_loop_too_long_is_told_at_its_end(
    app: Windlass,
) -> None:
    ended = False
    with pytest.raises(LockLost):  # noqa: PT012 — what happens to a block is what is tested
        async with app.lock("report", ttl=0.2) as lock:
            threading.Event().wait(0.3)
            assert lock.lost
            ended = True

    assert ended


async def test_what_a_block_raises_is_what_is_raised(app: Windlass) -> None:
    with pytest.raises(ZeroDivisionError):
        async with app.lock("report"):
            raise ZeroDivisionError

    async with app.lock("report", timeout=0):
        pass


async def test_a_block_that_somebody_cancels_is_cancelled(app: Windlass) -> None:
    entered = asyncio.Event()

    async def work() -> None:
        async with app.lock("report"):
            entered.set()
            await asyncio.sleep(20)

    task = asyncio.create_task(work())
    await entered.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert task.cancelled()
    async with app.lock("report", timeout=0):
        pass


@pytest.mark.parametrize("ttl", [0, 0.05, -1, timedelta(days=2)])
async def test_a_ttl_that_makes_no_sense_is_refused(app: Windlass, ttl: float | timedelta) -> None:
    with pytest.raises(BadInput, match="ttl"):
        app.lock("report", ttl=ttl)


def test_a_thread_holds_a_lock_too(store_url: str) -> None:
    app = Windlass(store_url)
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        with app.blocking.lock("report", timeout=20) as lock:
            inside += 1
            most = max(most, inside)
            lock.check()
            threading.Event().wait(0.01)
            inside -= 1

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    app.blocking.close()

    assert most == 1


def test_a_thread_that_lost_the_lock_is_told(store_url: str) -> None:
    app = Windlass(store_url)
    with pytest.raises(LockLost), app.blocking.lock("report", ttl=0.5) as lock:  # noqa: PT012 — what happens to a block is what is tested
        app.blocking.bridge.run(end_now(app, lock))
        threading.Event().wait(0.4)
        with pytest.raises(LockLost):
            lock.check()
    with pytest.raises(ZeroDivisionError), app.blocking.lock("report", timeout=5):
        raise ZeroDivisionError
    with (
        app.blocking.lock("report", timeout=0),
        pytest.raises(LockTaken),
        app.blocking.lock("report", timeout=0),
    ):
        pass
    app.blocking.close()


async def test_handlers_use_it(app: Windlass) -> None:
    inside, most = 0, 0

    @app.job
    async def report() -> int:
        nonlocal inside, most
        async with app.lock("report") as lock:
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.01)
            inside -= 1
            return lock.token

    @app.job
    def plain_report() -> int:
        nonlocal inside, most
        with app.blocking.lock("report") as lock:
            inside += 1
            most = max(most, inside)
            threading.Event().wait(0.01)
            inside -= 1
            return lock.token

    async with app.worker():
        jobs = await app.enqueue_many(
            [*(report.job() for _ in range(5)), *(plain_report.job() for _ in range(5))]
        )
        tokens = [(await app.wait(job.id, 20)).result for job in jobs]

    assert most == 1
    assert len(set(tokens)) == 10


# --- processes ------------------------------------------------------------------------------------


class Line(NamedTuple):
    """What a holder wrote."""

    what: str
    token: int
    at: float


class Holder:
    """A process that takes the lock again and again."""

    def __init__(self, url: str, path: Path, ttl: float) -> None:
        self.path = path
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.app.holder", url, path, str(ttl)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
        )

    def lines(self, what: str = "holds") -> list[Line]:
        """What it has written so far."""
        if not self.path.exists():
            return []
        split = (line.split() for line in self.path.read_text().splitlines())
        return [Line(said, int(token), float(at)) for said, token, at in split if said == what]

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """End it where it is."""
        self._process.kill()
        self._process.wait()


@contextmanager
def holder(url: str, path: Path, ttl: float) -> Iterator[Holder]:
    process = Holder(url, path, ttl)
    try:
        yield process
    finally:
        process.kill()


@asynccontextmanager
async def stopped_inside(process: Holder, url: str) -> AsyncIterator[Line]:
    """Freeze the process while it holds the lock, and not the only one there is for writing."""
    while True:
        seen = len(process.lines())
        await until(lambda seen=seen: len(process.lines()) > seen + 1)  # type: ignore[misc]
        process.signal(signal.SIGSTOP)
        last = process.lines()[-1]
        if (
            not locked(url)
            and len([one for one in process.lines() if one.token == last.token]) < 15
        ):
            break
        process.signal(signal.SIGCONT)
        await asyncio.sleep(0.01)
    try:
        yield last
    finally:
        process.signal(signal.SIGCONT)


def locked(url: str) -> bool:
    """Whether somebody is in the middle of writing to a file."""
    if not url.startswith("sqlite"):
        return False
    connection = sqlite3.connect(url.removeprefix("sqlite:///"), timeout=0, isolation_level=None)
    try:
        connection.execute("begin immediate")
        connection.execute("rollback")
    except sqlite3.OperationalError:
        return True
    finally:
        connection.close()
    return False


async def test_a_lock_outlives_a_killed_holder_by_its_ttl_at_most(
    app: Windlass, store_url: str, tmp_path: Path
) -> None:
    with holder(store_url, tmp_path / "a", ttl=1.0) as process:
        async with stopped_inside(process, store_url) as last:
            process.kill()
            async with app.lock("report", timeout=30) as lock:
                now = asyncio.get_running_loop().time()

    assert lock.token > last.token
    assert now - last.at < 10.0


async def test_a_frozen_holder_is_told_when_it_thaws_and_its_token_is_stale(
    app: Windlass, store_url: str, tmp_path: Path
) -> None:
    with holder(store_url, tmp_path / "a", ttl=0.5) as process:
        async with (
            stopped_inside(process, store_url) as last,
            app.lock("report", timeout=30) as lock,
        ):
            process.signal(signal.SIGCONT)
            await until(lambda: last.token in {one.token for one in process.lines("lost")})
            began = asyncio.get_running_loop().time()
            await asyncio.sleep(0.2)
            meanwhile = [one for one in process.lines() if one.at > began]
            lock.check()

    assert last.token < lock.token
    assert meanwhile == []


async def test_processes_that_freeze_never_hold_it_at_once(
    app: Windlass, store_url: str, tmp_path: Path
) -> None:
    paths = [tmp_path / name for name in "abc"]
    holders = [Holder(store_url, path, ttl=0.4) for path in paths]
    try:
        for frozen in holders:
            await until(lambda: all(one.lines() for one in holders))
            async with stopped_inside(frozen, store_url):
                await asyncio.sleep(0.6)
        await until(lambda: len({line.token for one in holders for line in one.lines()}) > 10)
    finally:
        for process in holders:
            process.kill()

    lines = sorted((line for one in holders for line in one.lines()), key=lambda line: line.at)
    tokens = [line.token for line in lines]
    assert tokens == sorted(tokens)
