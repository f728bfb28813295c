"""Reading by an app: one job for many callers at once, pages, and what types there are."""

import asyncio
from collections.abc import Sequence

import pytest

from windlass import Windlass
from windlass.app.home import READS
from windlass.core.errors import UnknownJob
from windlass.core.job import Job, JobId

NOBODY = JobId("01980e5c-7a2b-7cc3-9d1e-3f5a6b7c8d9e")


async def welcome(user: str) -> None:
    """Greets."""


async def test_those_who_read_at_once_share_statements(
    app: Windlass, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = app.job(welcome)
    jobs = [declared.job(f"user {n}") for n in range(100)]
    await app.enqueue_many(jobs)
    store = (await app.home()).store
    find, looks = store.find, []

    async def counted(ids: Sequence[JobId]) -> list[Job]:
        looks.append(len(ids))
        return await find(ids)

    monkeypatch.setattr(store, "find", counted)
    read = await asyncio.gather(*(app.get(job.id) for job in jobs))

    assert [job.id for job in read] == [job.id for job in jobs]
    assert sum(looks) == 100
    assert len(looks) <= 2 * READS


async def test_a_job_that_is_not_there_is_missed_by_its_reader_alone(app: Windlass) -> None:
    enqueued = await app.job(welcome).enqueue("ada")

    found, missed, same = await asyncio.gather(
        app.read(enqueued.id), app.read(NOBODY), app.read(enqueued.id), return_exceptions=True
    )

    assert isinstance(missed, UnknownJob)
    assert isinstance(found, Job)
    assert found == same
    assert found.payload == '{"user":"ada"}'


async def test_a_page_is_asked_for_by_words_or_by_names(app: Windlass) -> None:
    declared = app.job(queue="mail")(welcome)
    ids = [(await declared.enqueue(f"user {n}")).id for n in range(3)]
    await app.cancel(ids[0])

    by_words = await app.page(query="status:pending queue:mail", limit=1)
    by_names = await app.page(status="pending", queue="mail", before=by_words.next or "")
    by_both = await app.page(query="status:pending", status="cancelled")
    by_payload = await app.page(payload={"user": "user 1"})

    assert [job.id for job in by_words.jobs] == [ids[2]]
    assert [job.id for job in by_names.jobs] == [ids[1]]
    assert [job.id for job in by_both.jobs] == [ids[0]]
    assert [job.id for job in by_payload.jobs] == [ids[1]]


async def test_a_worker_publishes_the_types_it_knows(app: Windlass, store_url: str) -> None:
    app.job(queue="mail")(welcome)

    async with app.worker():
        [known] = [one for one in await app.types() if one.type == "welcome"]
        async with Windlass(store_url) as elsewhere:
            job = await elsewhere.draft("welcome", {"user": "ada"})
            await elsewhere.enqueue(job)
            finished = await elsewhere.wait(job.id)

    assert (known.queue, known.workers, known.description) == ("mail", 1, "Greets.")
    assert finished.state == "completed"
