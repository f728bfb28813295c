"""Locks beside the database: a free one is a dead node."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from tests.embedded import LEASE, Fleet, embedded_store
from tests.store.yard import OwnClock, Yard
from windlass.clock import SystemChance
from windlass.core.errors import StoreAway
from windlass.core.job import NodeId, State
from windlass.store import migrate
from windlass.store.locks import NodeLocks
from windlass.store.migrate_sqlite import SqliteMigrator
from windlass.store.sql_store import SqlStore
from windlass.store.sqlite import SqliteDatabase

NODE = NodeId("6f0a7a9e-0000-4000-8000-000000000001")

HOLDER = """
import sys, time
from pathlib import Path
from windlass.store.locks import NodeLocks
NodeLocks(Path(sys.argv[1])).lock(sys.argv[2]).hold()
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def locks(tmp_path: Path) -> NodeLocks:
    return NodeLocks(tmp_path / "windlass.db")


def test_a_lock_that_is_held_is_not_free(locks: NodeLocks) -> None:
    lock = locks.lock(NODE)

    lock.hold()

    assert not locks.lock(NODE).is_free()
    assert locks.dead() == []
    lock.release()


def test_a_node_that_left_is_not_dead(locks: NodeLocks) -> None:
    lock = locks.lock(NODE)
    lock.hold()

    lock.release()
    lock.release()

    assert locks.dead() == []
    assert list(locks.folder.iterdir()) == []


def test_a_node_that_nobody_heard_of_is_not_dead(locks: NodeLocks) -> None:
    assert not locks.lock(NODE).is_free()
    assert locks.dead() == []


def test_a_lock_is_taken_by_one(locks: NodeLocks) -> None:
    lock = locks.lock(NODE)
    lock.hold()

    with pytest.raises(StoreAway, match="another process holds"):
        locks.lock(NODE).hold()

    lock.release()


def test_a_killed_process_lets_go_of_its_lock(locks: NodeLocks) -> None:
    holder = start_holder(locks)
    alive = locks.dead()

    kill(holder)

    assert alive == []
    assert locks.dead() == [NODE]
    locks.forget(NODE)
    assert locks.dead() == []


def test_the_lock_of_a_living_node_is_not_forgotten(locks: NodeLocks) -> None:
    lock = locks.lock(NODE)
    lock.hold()

    locks.forget(NODE)

    assert lock.path.exists()
    lock.release()


def test_lock_files_are_for_this_account_only(locks: NodeLocks) -> None:
    lock = locks.lock(NODE)
    lock.hold()

    assert locks.folder.stat().st_mode & 0o777 == 0o700
    assert lock.path.stat().st_mode & 0o777 == 0o600
    lock.release()


async def test_the_jobs_of_a_killed_node_are_reclaimed_before_its_lease_ends(
    tmp_path: Path,
) -> None:
    clock = OwnClock()
    database = SqliteDatabase(tmp_path / "windlass.db", clock=clock, chance=SystemChance())
    await migrate.up(SqliteMigrator(database))
    yard = Yard(SqlStore(database, clock), clock)
    worker, claim = await yard.running()
    locks = NodeLocks(tmp_path / "windlass.db")
    holder = start_holder(locks, worker.node)
    while_alive = await yard.reclaim(lapsed=False)

    kill(holder)
    reclaimed = await yard.reclaim(lapsed=False)

    assert (while_alive, reclaimed) == (0, 1)
    assert await yard.state(claim.id) is State.PENDING
    await database.close()


def start_holder(locks: NodeLocks, node: NodeId = NODE) -> subprocess.Popen[str]:
    database = locks.folder.with_name(locks.folder.name.removesuffix(".nodes"))
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, database, node], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def kill(holder: subprocess.Popen[str]) -> None:
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert holder.stdout is not None
    holder.stdout.close()


@pytest.mark.parametrize("age", [timedelta(minutes=59), timedelta(minutes=61)])
async def test_the_lock_of_a_dead_node_is_swept_once_the_node_is_forgotten(
    tmp_path: Path, age: timedelta
) -> None:
    clock = OwnClock()
    async with embedded_store(tmp_path / "windlass.db", clock) as store:
        node = await Fleet(store).node()
        lock = NodeLocks(tmp_path / "windlass.db").lock(node)
        lock.path.parent.mkdir()
        lock.path.touch()
        clock.advance(LEASE.total_seconds() + age.total_seconds())

        await store.prune(timedelta(days=1), 10)

    assert lock.path.exists() == (age < timedelta(hours=1))
