"""Bulk actions as users see them: jobs that any worker runs, on both stores."""

import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import until
from windlass import Windlass
from windlass.config import load
from windlass.core.errors import BadInput, BadQuery
from windlass.core.job import JobId, State


@pytest.fixture
async def app(store_url: str) -> AsyncIterator[Windlass]:
    """An app with a job that goes as its payload says."""
    app = Windlass(store_url)

    @app.job(max_attempts=1)
    async def mail(well: bool = True) -> str:  # noqa: FBT001, FBT002
        if not well:
            raise RuntimeError("timed out")
        return "sent"

    async with app:
        yield app


async def mails(app: Windlass, count: int, **options: Any) -> list[JobId]:
    """Jobs yet to be run."""
    payload = {"well": options.pop("well", True)}
    jobs = [app.job_of("mail", payload, **options) for _ in range(count)]
    return [answer.id for answer in await app.enqueue_many(jobs)]


async def finished(app: Windlass, ids: list[JobId]) -> None:
    """Run these jobs, and wait for their end."""
    async with app.worker():
        for job_id in ids:
            await app.wait(job_id)


async def states(app: Windlass, ids: list[JobId]) -> set[State]:
    """Where these jobs are in their lives."""
    return {(await app.get(job_id)).state for job_id in ids}


async def test_failed_jobs_are_retried_and_run_again(app: Windlass) -> None:
    failed, done = await mails(app, 3, well=False), await mails(app, 2)
    await finished(app, [*failed, *done])

    async with app.worker():
        asked = await app.bulk("retry", 'status:failed error:"timed out"')
        action = await app.wait(asked.id)

        async def ran_again() -> bool:
            return all([(await app.get(job_id)).attempts == 2 for job_id in failed])

        await until(ran_again)

    assert action.result == {"matched": 3, "changed": 3}
    assert {(await app.get(job_id)).attempts for job_id in done} == {1}


async def test_waiting_jobs_are_cancelled(app: Windlass) -> None:
    meant = await mails(app, 3, queue="slow", delay=3600)
    others = await mails(app, 2, delay=3600)

    async with app.worker():
        action = await app.wait((await app.bulk("cancel", "queue:slow")).id)

    assert action.result == {"matched": 3, "changed": 3}
    assert await states(app, meant) == {State.CANCELLED}
    assert await states(app, others) == {State.SCHEDULED}


async def test_finished_jobs_are_deleted(app: Windlass) -> None:
    ids = await mails(app, 3)
    await finished(app, ids)

    async with app.worker():
        action = await app.wait((await app.bulk("delete", "type:mail")).id)

    assert action.result == {"matched": 3, "changed": 3}
    assert [job.id for job in await app.jobs()] == [action.id]


async def test_an_action_goes_before_a_line_and_a_paused_queue_does_not_hold_it(
    app: Windlass,
) -> None:
    ids = await mails(app, 3)
    await app.pause("default")
    asked = await app.bulk("cancel", "type:mail")

    async with app.worker():
        await app.wait(asked.id)

    assert await states(app, ids) == {State.CANCELLED}


async def test_an_action_runs_though_every_thread_is_busy(store_url: str, tmp_path: Path) -> None:
    app = Windlass(settings=load({}, tmp_path, {"store": store_url, "pool_threads": 1}))
    busy, over = threading.Event(), threading.Event()

    @app.job
    def toil() -> None:
        busy.set()
        over.wait(20)

    async with app, app.worker():
        await toil.enqueue()
        await until(busy.is_set)
        ids = [(await toil.enqueue()).id for _ in range(3)]
        action = await app.wait((await app.bulk("cancel", "type:toil status:pending")).id)
        over.set()

        assert action.state is State.COMPLETED
        assert await states(app, ids) == {State.CANCELLED}


async def test_an_action_is_a_job_with_a_name_that_says_what_it_does(app: Windlass) -> None:
    asked = await app.bulk("delete", "status:completed age:>30d", rate=100)

    job = await app.get(asked.id)

    assert (job.type, job.name) == ("windlass.bulk", "delete status:completed age:>30d")
    assert job.payload == {
        "action": "delete",
        "filter": "status:completed age:>30d",
        "rate": 100.0,
    }


async def test_the_name_of_an_action_can_be_shown(app: Windlass) -> None:
    asked = await app.bulk("delete", "status:completed\n\t" + "x" * 300)

    name = (await app.get(asked.id)).name

    assert name is not None
    assert name.startswith("delete status:completed  xxx")
    assert len(name) == 200


@pytest.mark.parametrize(
    ("action", "which", "rate", "error"),
    [
        ("burn", "status:failed", None, BadInput),
        ("retry", "", None, BadInput),
        ("retry", "status:running", None, BadInput),
        ("retry", "colour:red", None, BadQuery),
        ("retry", "status:failed", 0, BadInput),
    ],
)
async def test_an_action_that_cannot_be_is_refused_and_nothing_is_kept(
    app: Windlass, action: str, which: str, rate: float | None, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await app.bulk(action, which, rate=rate)

    assert await app.jobs() == []


async def test_an_action_at_a_slow_rate_is_cancelled_and_keeps_what_it_did(app: Windlass) -> None:
    ids = await mails(app, 5, delay=3600)

    async with app.worker():
        asked = await app.bulk("cancel", "type:mail", rate=0.5)

        async def begun() -> bool:
            return State.CANCELLED in await states(app, ids)

        await until(begun)
        await app.cancel(asked.id)
        action = await app.wait(asked.id)

    assert action.state is State.CANCELLED
    assert State.SCHEDULED in await states(app, ids)


async def test_the_registry_of_an_app_has_only_its_own_types(app: Windlass) -> None:
    async with app.worker():
        [worker, *_] = (await app.fleet()).workers

    assert app.registry.types() == ["mail"]
    assert sorted(worker[0].types) == ["mail", "windlass.bulk"]


async def test_a_type_of_the_same_name_is_refused_when_a_worker_starts(app: Windlass) -> None:
    @app.job(type="windlass.bulk")
    async def mine() -> None: ...

    with pytest.raises(BadInput, match=r"'windlass\.bulk' is Windlass's own; give .*mine another"):
        async with app.worker():
            pass


async def test_each_job_of_a_batch_is_kept_that_can_be(app: Windlass) -> None:
    [first] = await app.enqueue_each([app.job_of("mail", {}, idempotency_key="k")])
    jobs = [
        app.job_of("mail", {}),
        app.job_of("mail", {"well": False}, idempotency_key="k"),
        app.job_of("mail", {}, idempotency_key="k"),
    ]

    plain, taken, same = await app.enqueue_each(jobs)

    assert not isinstance(first, Exception)
    assert not isinstance(plain, Exception)
    assert (plain.id, plain.existing) == (jobs[0].id, False)
    assert "idempotency key 'k' was used for job" in str(taken)
    assert not isinstance(same, Exception)
    assert (same.id, same.existing) == (first.id, True)


async def test_each_takes_jobs_and_nothing_else(app: Windlass) -> None:
    with pytest.raises(BadInput, match="enqueue takes jobs"):
        await app.enqueue_each(["mail"])  # type: ignore[list-item]
