"""Handlers in processes of their own: they can be killed, and take nobody along."""

import errno
import json
import os
import signal
from pathlib import Path

import psutil
import pytest

from tests.waiting import until
from tests.worker.isolated_app import LIBRARIES, app
from tests.worker.yard import Yard, standing
from windlass.core.job import Policy, State
from windlass.observe.events import AttemptFailed
from windlass.worker.child_process import Child


class Begun:
    """A file by which a handler in another process says how far it is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.payload = json.dumps({"path": str(path)})

    def said(self) -> str:
        """What it said last."""
        return self._path.read_text() if self._path.exists() else ""


@pytest.fixture
def begun(tmp_path: Path) -> Begun:
    """A file that a handler may write."""
    return Begun(tmp_path / "begun")


@pytest.fixture(autouse=True)
def isolated(yard: Yard) -> None:
    """Know the handlers of the application that isolated processes import."""
    yard.app = "tests.worker.isolated_app:app"
    yard.registry = app.registry


async def test_it_runs_in_another_process_which_is_kept_warm(yard: Yard) -> None:
    async with yard.working(processes=1) as worker:
        jobs = await yard.enqueue_many("whoami", 3)
        worker.ring()
        pids = {job.result for job in await yard.come_to(State.COMPLETED, *jobs)}

    assert len(pids) == 1
    assert pids != {str(os.getpid())}


async def test_a_machine_that_gives_no_process_is_not_the_fault_of_the_job(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_process(*_: object) -> Child:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr("windlass.worker.pools.start_child", no_process)
    job = await yard.enqueue("whoami")

    async with yard.working():
        [later] = await yard.come_to(State.SCHEDULED, job)

    assert (later.attempts, later.failures) == (0, 0)


async def test_a_coroutine_can_be_isolated_too(yard: Yard) -> None:
    job = await yard.enqueue("on_a_loop")

    async with yard.working():
        [done] = await yard.come_to(State.COMPLETED, job)

    assert done.result == '"coroutine"'


async def test_a_failure_comes_back_with_its_trace(yard: Yard) -> None:
    job = await yard.enqueue("fail", max_attempts=1)

    async with yard.working():
        [failed] = await yard.come_to(State.FAILED, job)

    assert failed.error == "ValueError: not today"
    assert "isolated_app.py" in ((await yard.store.attempts(job))[0].trace or "")


@pytest.mark.parametrize(
    ("how", "cause"),
    [
        ("exit", "it exited with code 7"),
        ("kill", "it was killed by signal 9 (SIGKILL)"),
        ("segfault", "it was killed by signal 11 (SIGSEGV)"),
    ],
)
async def test_a_death_is_a_crash_of_this_job_alone(yard: Yard, how: str, cause: str) -> None:
    job = await yard.enqueue("die", json.dumps({"how": how}), max_crashes=1)
    other = await yard.enqueue("whoami")

    async with yard.working():
        [failed] = await yard.come_to(State.FAILED, job)
        await yard.come_to(State.COMPLETED, other)

    assert (failed.reason, failed.crashes) == ("crash", 1)
    assert failed.error == f"the process running it died: {cause}"


async def test_memory_beyond_the_limit_is_a_failure(yard: Yard) -> None:
    job = await yard.enqueue("devour", max_attempts=1)

    async with yard.working(processes=1) as worker:
        [failed] = await yard.come_to(State.FAILED, job)
        # The limit was for that job only.
        other = await yard.enqueue("whoami")
        worker.ring()
        await yard.come_to(State.COMPLETED, other)

    assert failed.error == "MemoryError"


async def test_it_is_killed_at_its_timeout(yard: Yard, begun: Begun) -> None:
    job = await yard.enqueue("sleep", begun.payload, max_attempts=1, policy=Policy(timeout=0.5))

    async with yard.working():
        [failed] = await yard.come_to(State.FAILED, job)

    assert failed.error == "timed out after 0.5 s; its process was killed"


async def test_it_may_clean_up_when_cancelled(yard: Yard, begun: Begun) -> None:
    job = await yard.enqueue("tidy", begun.payload)

    async with yard.working() as worker:
        await until(begun.said)
        worker.cancel(job, 1)
        await yard.come_to(State.CANCELLED, job)

    assert begun.said() == "tidy"


async def test_it_is_killed_without_a_word_when_the_lease_is_lost(yard: Yard, begun: Begun) -> None:
    job = await yard.enqueue("sleep", begun.payload)

    async with yard.working():
        await until(begun.said)
        yard.lease.revoke()
        [back] = await yard.come_to(State.PENDING, job)
        await until(lambda: not psutil.pid_exists(int(begun.said())))

    assert (back.failures, back.crashes) == (0, 0)
    assert yard.seen.of(AttemptFailed) == []


async def test_what_it_says_is_kept(yard: Yard) -> None:
    job = await yard.enqueue("talk")

    async with yard.working():
        [done] = await yard.come_to(State.COMPLETED, job)

    progress = await yard.store.progress(job)
    assert progress is not None
    assert progress.fraction == 1.0
    assert [(line.level, line.message) for line in await yard.store.lines(job)] == [
        ("info", "one"),
        ("error", "two"),
    ]
    kept = await yard.store.kept(job, "report.txt")
    assert kept is not None
    assert kept.content == b"\x00\xff" * 1000
    assert done.result == '"talked"'


async def test_libraries_are_told_how_many_threads_were_granted(yard: Yard) -> None:
    narrow = await yard.enqueue("environment", threads=1)
    wide = await yard.enqueue("environment", threads=3)
    too_wide = await yard.enqueue("environment", threads=99)

    async with yard.working(threads=3) as worker:
        worker.learn(standing(widest=3))
        done = await yard.come_to(State.COMPLETED, narrow, wide, too_wide)

    told = [json.loads(job.result or "") for job in done]
    assert [set(counts) for counts in told] == [{"1"}, {"3"}, {"1"}]
    assert {len(counts) for counts in told} == {1 + len(LIBRARIES)}


async def test_an_application_that_cannot_be_imported_fails_its_jobs(yard: Yard) -> None:
    yard.app = "tests.worker.no_such_app:app"
    job = await yard.enqueue("whoami", max_attempts=1)

    async with yard.working():
        [failed] = await yard.come_to(State.FAILED, job)

    assert failed.error is not None
    assert "cannot import tests.worker.no_such_app:app" in failed.error


async def test_an_application_that_dies_while_it_is_imported_fails_its_jobs(yard: Yard) -> None:
    yard.app = "tests.worker.deadly_app:app"
    job = await yard.enqueue("whoami", max_attempts=1)

    async with yard.working():
        [failed] = await yard.come_to(State.FAILED, job)

    assert failed.error == "no process to run it in: it exited with code 3 before it was ready"


async def test_without_an_application_to_import_the_error_says_so(yard: Yard) -> None:
    yard.app = None
    job = await yard.enqueue("whoami", max_attempts=1)

    async with yard.working():
        [failed] = await yard.come_to(State.FAILED, job)

    assert failed.error is not None
    assert "--app module:name" in failed.error


async def test_no_process_outlives_its_worker(yard: Yard, begun: Begun) -> None:
    await yard.enqueue("sleep", begun.payload)
    await yard.enqueue("whoami")

    async with yard.working():
        await until(begun.said)
        await until(lambda: yard.settled() == 1)
        children = [child.pid for child in psutil.Process().children()]

    assert int(begun.said()) in children
    await until(lambda: int(begun.said()) not in psutil.pids())


async def test_a_process_that_died_while_idle_is_not_used(yard: Yard) -> None:
    async with yard.working(processes=1) as worker:
        first = await yard.enqueue("whoami")
        worker.ring()
        [done] = await yard.come_to(State.COMPLETED, first)
        os.kill(int(done.result or 0), signal.SIGKILL)
        await until(lambda: not psutil.pid_exists(int(done.result or 0)))
        second = await yard.enqueue("whoami")
        worker.ring()
        [again] = await yard.come_to(State.COMPLETED, second)

    assert again.crashes == 0
