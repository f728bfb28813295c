"""Locks of the nodes of one machine: a free one is a dead node."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from windlass.core.job import NodeId
from windlass.store.locks import NodeLocks

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
    return NodeLocks.beside(tmp_path / "windlass.db")


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
    assert not locks.folder.exists()


def test_a_node_that_nobody_heard_of_is_not_dead(locks: NodeLocks) -> None:
    assert not locks.lock(NODE).is_free()
    assert locks.dead() == []


def test_a_lock_is_not_free_while_it_is_being_taken(
    locks: NodeLocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, seen = locks.lock(NODE), list[list[NodeId]]()
    flock = fcntl.flock

    def look_first(file: int, kind: int) -> None:
        if kind & fcntl.LOCK_EX:
            seen.append(locks.dead())
        flock(file, kind)

    monkeypatch.setattr(fcntl, "flock", look_first)
    lock.hold()

    assert seen == [[]]
    lock.release()


def test_a_lock_that_cannot_be_taken_leaves_no_file_that_looks_like_a_death(
    locks: NodeLocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_file: int, _kind: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    with monkeypatch.context() as patched:
        patched.setattr(fcntl, "flock", fail)
        with pytest.raises(OSError, match="no locks"):
            locks.lock(NODE).hold()

    assert locks.dead() == []
    assert list(locks.folder.iterdir()) == []


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


def start_holder(locks: NodeLocks, node: NodeId = NODE) -> subprocess.Popen[str]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, locks.folder, node], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def kill(holder: subprocess.Popen[str]) -> None:
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert holder.stdout is not None
    holder.stdout.close()
