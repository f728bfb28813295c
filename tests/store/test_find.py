"""Many jobs by their ids, in one look."""

from datetime import timedelta

from tests.store.yard import Yard
from windlass.core.job import JobId
from windlass.core.outcome import Done
from windlass.store.sql_store import SqlStore


async def test_jobs_are_found_wherever_they_are(yard: Yard, store: SqlStore) -> None:
    finished = await yard.finished(Done())
    [pending] = await yard.enqueue()
    [later] = await yard.enqueue(delay=timedelta(hours=1))
    await yard.enqueue()
    nobody = JobId("00000000-0000-7000-8000-000000000000")

    found = await store.find([finished, pending, nobody, later])

    assert {job.id: job for job in found} == {
        job_id: await yard.job(job_id) for job_id in (finished, pending, later)
    }


async def test_nothing_is_found_by_no_ids(store: SqlStore) -> None:
    assert await store.find([]) == []
