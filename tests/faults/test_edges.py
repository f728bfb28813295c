"""Numbers at the edge of what a column, a float or a reader can take stop nobody else."""

import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.acceptance.books import Books
from tests.faults.dose import dose
from windlass import State, Windlass
from windlass.core.errors import BadInput
from windlass.core.job import JobId

SMALL, WHOLE, EXACT = 2**15 - 1, 2**31 - 1, 2**53
ENTRIES = dose(short=10_000, full=100_000)
RECURSIVE = f"with recursive n(i) as (select 1 union all select i + 1 from n where i < {ENTRIES})"  # noqa: S608


class Edge:
    """A store in which jobs have odd numbers, and a worker that runs them among others."""

    def __init__(self, url: str) -> None:
        self.app = Windlass(url)
        self._books = Books(url)

        @self.app.job
        async def work(fails: int = 0) -> None:
            if fails:
                raise RuntimeError("on purpose")

        self.work = work

    async def put(self, fails: int = 0, **numbers: int) -> JobId:
        """A job that has come to these numbers by itself."""
        job = (await self.work.enqueue(fails)).id
        said = ", ".join(f"{name} = {number}" for name, number in numbers.items())
        self.execute(f"update windlass_jobs set {said} where id = '{job}'")  # noqa: S608
        return job

    def execute(self, statement: str) -> list[tuple[Any, ...]]:
        """Do it behind everybody's back."""
        return self._books._ask(statement)

    def fail_often(self, job: JobId) -> None:
        """Leave as many traces of failures as a job could have."""
        sqlite = self.app.settings.store.startswith("sqlite")
        numbers = RECURSIVE if sqlite else f"with n(i) as (select generate_series(1, {ENTRIES}))"
        self.execute(
            f"{numbers} insert into windlass_attempts (job, fence, reason, error, finished_at)"  # noqa: S608
            f" select '{job}', -i, 'failed', 'no', (select max(started_at) from windlass_nodes)"
            " from n"
        )


@pytest.fixture
async def edge(store_url: str) -> AsyncIterator[Edge]:
    edge = Edge(store_url)
    async with edge.app:
        await edge.app.stats()
        yield edge


LARGE = (
    {"fence": SMALL},
    {"fence": WHOLE},
    {"fence": EXACT},
    {"fence": EXACT + 1},
    {"attempts": SMALL, "fence": SMALL},
    {"attempts": WHOLE - 1},
    {"failures": SMALL, "attempts": SMALL, "max_attempts": WHOLE},
    {"rank": -(2**62)},
    {"rank": 2**62 - 1},
)


async def test_jobs_that_have_come_to_large_numbers_are_run_like_any(edge: Edge) -> None:
    ids = [await edge.put(**numbers) for numbers in LARGE]

    async with edge.app.worker():
        jobs = [await edge.app.wait(job_id, timeout=30) for job_id in ids]

    for job, numbers in zip(jobs, LARGE, strict=True):
        assert job.state is State.COMPLETED, numbers
        assert job.fence == numbers.get("fence", 0) + 1
        assert job.attempts == numbers.get("attempts", 0) + 1


async def test_a_job_that_can_be_counted_no_further_stops_nobody_else(edge: Edge) -> None:
    guilty = [await edge.put(attempts=WHOLE), await edge.put(1, attempts=WHOLE, failures=WHOLE)]
    innocent = [(await edge.work.enqueue()).id for _ in range(20)]

    async with edge.app.worker():
        jobs = [await edge.app.wait(job_id, timeout=30) for job_id in innocent]
        later = await edge.app.wait((await edge.work.enqueue()).id)

    assert {job.state for job in [*jobs, later]} == {State.COMPLETED}
    assert [(await edge.app.get(job_id)).id for job_id in guilty] == guilty


TOO_LARGE: tuple[dict[str, Any], ...] = (
    {"priority": 2**31},
    {"priority": -(2**31)},
    {"priority": 101},
    {"max_attempts": 2**31},
    {"max_crashes": 2**63},
    {"thread_demand": 2**15},
    {"delay": 2.0**63},
)


async def test_what_no_column_could_take_is_refused(edge: Edge) -> None:
    for option in TOO_LARGE:
        with pytest.raises(BadInput):
            await edge.work.options(**option).enqueue()

    assert (await edge.app.stats()).states[State.PENDING] == 0


async def test_a_job_with_thousands_of_failures_is_read_and_run_as_any(
    edge: Edge, record_property: Callable[[str, object], None]
) -> None:
    job_id = await edge.put(1, max_attempts=1)
    async with edge.app.worker():
        edge.fail_often(job_id)
        began = time.perf_counter()
        job = await edge.app.wait(job_id)
        why = await edge.app.explain(job_id)
        read = time.perf_counter() - began
        attempts = await edge.app.attempts(job_id)
    took = time.perf_counter() - began

    record_property("entries", len(attempts))
    record_property("read and explained in", f"{read * 1000:.0f} ms")
    record_property("all attempts read in", f"{took * 1000:.0f} ms")
    assert job.state is State.FAILED
    assert why.sentences
    assert len(attempts) == ENTRIES + 1
    assert read < dose(short=20, full=2)
