"""Everybody who waits shares the looks at the store."""

import asyncio

import pytest

from tests.core.makers import a_job
from windlass.app.watch import LONGEST_TICKS, Watcher, _ticks
from windlass.core.job import Job, JobId, State


class Window:
    """Jobs as they are, and how often somebody looked."""

    def __init__(self, finished_at_look: int) -> None:
        self.looks: list[list[JobId]] = []
        self._finished = finished_at_look

    async def look(self, ids: list[JobId]) -> list[Job | None]:
        """See the jobs; they are finished when they were looked at often enough."""
        self.looks.append(ids)
        done = len(self.looks) >= self._finished
        state = State.COMPLETED if done else State.RUNNING
        return [None if job_id == "gone" else a_job(id=job_id, state=state) for job_id in ids]


async def test_many_waiters_share_each_look() -> None:
    window = Window(finished_at_look=3)
    watcher = Watcher(window.look)

    jobs = await asyncio.gather(*(watcher.finished(JobId(f"job {n}")) for n in range(50)))

    assert [job.id for job in jobs if job] == [f"job {n}" for n in range(50)]
    assert [len(ids) for ids in window.looks] == [50, 50, 50]


async def test_a_job_that_is_gone_ends_the_waiting() -> None:
    watcher = Watcher(Window(finished_at_look=9).look)

    assert await watcher.finished(JobId("gone")) is None


@pytest.mark.parametrize(
    ("waited", "ticks"), [(0, 1), (0.4, 1), (1, 2), (2, 4), (7.9, 8), (3600, LONGEST_TICKS)]
)
def test_looks_become_rarer_the_longer_one_waits(waited: float, ticks: int) -> None:
    assert _ticks(waited) == ticks
