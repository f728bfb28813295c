"""A chunk of jobs is changed together with the place after it, under the claim of one job."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from tests.store.yard import FAILED, Yard
from windlass.core.bulk import BULK_TYPE, Action, Chunk, Place, Step
from windlass.core.claim import Claim
from windlass.core.errors import ClaimLost
from windlass.core.job import JobId, Lane, State
from windlass.core.outcome import Done, HandedBack, Snoozed
from windlass.core.search import JobFilter
from windlass.store.postgres import PostgresDatabase
from windlass.store.script import Script, Statement
from windlass.store.sql_bulk import advancing
from windlass.store.sql_store import SqlStore


@pytest.fixture
async def claim(yard: Yard) -> Claim:
    """The claim of an action that has not begun."""
    _, claim = await yard.running(type=BULK_TYPE)
    return claim


def chunk(claim: Claim, place: Place, ids: Sequence[JobId], **given: Any) -> Chunk:
    """These jobs, to be deleted if nothing else is said."""
    action = given.get("action", Action.DELETE)
    return Chunk(
        **{
            "job": claim.id,
            "fence": claim.fence,
            "action": action,
            "states": action.states,
            "ids": ids,
            "place": place,
            "before": ids[-1] if ids else None,
            **given,
        }
    )


async def test_an_action_begins_now_and_is_found_where_it_was(
    yard: Yard, store: SqlStore, claim: Claim
) -> None:
    begin = await store.place(claim.id, claim.fence)
    yard.clock.advance(60)

    again = await store.place(claim.id, claim.fence)

    assert begin.until.timestamp() == pytest.approx(yard.clock.monotonic() - 60)
    assert again == begin == Place(until=begin.until)


async def test_failed_jobs_are_retried_and_their_queues_are_told(
    yard: Yard, store: SqlStore, claim: Claim
) -> None:
    ids = [await yard.finished(FAILED, queue=queue) for queue in ("b", "a", "a")]
    place = await store.place(claim.id, claim.fence)

    step = await store.advance(chunk(claim, place, ids, action=Action.RETRY))

    assert step.place == replace(place, before=ids[-1], matched=3, changed=3)
    assert (step.queues, step.asked) == (["a", "b"], False)
    assert [await yard.state(job) for job in ids] == [State.PENDING] * 3


async def test_waiting_jobs_are_cancelled_and_running_ones_are_asked(
    yard: Yard, store: SqlStore, claim: Claim
) -> None:
    _, running = await yard.running()
    [waiting] = await yard.enqueue()
    place = await store.place(claim.id, claim.fence)

    step = await store.advance(chunk(claim, place, [waiting, running.id], action=Action.CANCEL))

    assert (step.place.matched, step.place.changed, step.asked) == (2, 2, True)
    assert await yard.state(waiting) is State.CANCELLED
    job = await yard.job(running.id)
    assert (job.state, job.cancel_requested) == (State.RUNNING, True)


async def test_live_jobs_are_never_deleted(yard: Yard, store: SqlStore, claim: Claim) -> None:
    _, running = await yard.running()
    [waiting] = await yard.enqueue()
    done = await yard.finished(type="other")
    place = await store.place(claim.id, claim.fence)

    step = await store.advance(chunk(claim, place, [done, waiting, running.id]))

    assert (step.place.matched, step.place.changed) == (3, 1)
    assert await store.job(done) is None
    assert await yard.state(waiting) is State.PENDING
    assert await yard.state(running.id) is State.RUNNING


async def test_what_is_deleted_takes_its_keys_along(
    yard: Yard, store: SqlStore, claim: Claim
) -> None:
    done = [await yard.finished(key=key) for key in ("b", "a")]
    place = await store.place(claim.id, claim.fence)

    await store.advance(chunk(claim, place, done))

    again = await store.enqueue([yard.new(key=key) for key in ("a", "b")])
    assert [answer.existing for answer in again] == [False, False]


async def test_an_action_leaves_itself_alone(yard: Yard, store: SqlStore, claim: Claim) -> None:
    place = await store.place(claim.id, claim.fence)

    await store.advance(chunk(claim, place, [claim.id], action=Action.CANCEL))

    assert not (await yard.job(claim.id)).cancel_requested


async def test_jobs_that_no_longer_fit_are_left_alone(
    yard: Yard, store: SqlStore, claim: Claim
) -> None:
    """The list is read before, and somebody may have been quicker."""
    failed, done = await yard.finished(FAILED), await yard.finished(Done())
    place = await store.place(claim.id, claim.fence)

    step = await store.advance(chunk(claim, place, [failed, done], states={State.FAILED}))

    assert (step.place.matched, step.place.changed) == (2, 1)
    assert await yard.state(done) is State.COMPLETED


async def test_jobs_that_were_finished_after_the_beginning_are_not_meant(
    yard: Yard, store: SqlStore, claim: Claim
) -> None:
    before = await yard.finished(FAILED)
    place = await store.place(claim.id, claim.fence)
    yard.clock.advance(1)
    after = await yard.finished(FAILED)

    step = await store.advance(chunk(claim, place, [after, before], action=Action.RETRY))

    assert (step.place.matched, step.place.changed) == (1, 1)
    assert await yard.state(after) is State.FAILED


async def test_jobs_that_came_after_the_beginning_are_not_meant(
    yard: Yard, store: SqlStore, claim: Claim
) -> None:
    [before] = await yard.enqueue()
    place = await store.place(claim.id, claim.fence)
    yard.clock.advance(1)
    [after] = await yard.enqueue()

    step = await store.advance(chunk(claim, place, [after, before], action=Action.CANCEL))

    assert (step.place.matched, step.place.changed) == (1, 1)
    assert await yard.state(after) is State.PENDING


async def test_an_id_that_was_used_twice_holds_nobody_up(
    yard: Yard, store: SqlStore, claim: Claim
) -> None:
    twice, once = await yard.finished(FAILED), await yard.finished(FAILED)
    await store.enqueue([yard.new(id=twice)])
    place = await store.place(claim.id, claim.fence)

    retried = await store.advance(chunk(claim, place, [twice, once], action=Action.RETRY))
    cancelled = await store.advance(chunk(claim, place, [twice, once], action=Action.CANCEL))

    assert (retried.place.changed, cancelled.place.changed) == (1, 1)
    assert await yard.state(once) is State.CANCELLED


@pytest.mark.parametrize(
    "ending", [HandedBack(), Snoozed(0.0), Done()], ids=["handed back", "snoozed", "done"]
)
async def test_a_stale_worker_changes_nothing(
    yard: Yard, store: SqlStore, claim: Claim, ending: Any
) -> None:
    job = await yard.finished(FAILED)
    place = await store.place(claim.id, claim.fence)
    await yard.settle(claim, ending)

    with pytest.raises(ClaimLost):
        await store.advance(chunk(claim, place, [job]))
    with pytest.raises(ClaimLost):
        await store.place(claim.id, claim.fence)

    assert await yard.state(job) is State.FAILED


async def test_whoever_reclaimed_the_action_goes_on_and_the_stale_worker_does_not(
    yard: Yard, store: SqlStore
) -> None:
    worker, stale = await yard.running(type=BULK_TYPE)
    one, two = await yard.finished(FAILED), await yard.finished(FAILED)
    begin = await store.place(stale.id, stale.fence)
    step = await store.advance(chunk(stale, begin, [two]))
    await store.dismiss([worker.id])
    await yard.reclaim()
    [fresh] = await yard.claim(await yard.worker(BULK_TYPE), lane=Lane.ALONE)

    with pytest.raises(ClaimLost):
        await store.advance(chunk(stale, step.place, [one]))
    place = await store.place(fresh.id, fresh.fence)

    assert place == step.place
    assert await yard.state(one) is State.FAILED
    assert await store.job(two) is None


@pytest.mark.parametrize("dialect", ["postgres"], indirect=True)  # SQLite has one writer
async def test_nobody_reclaims_an_action_in_the_middle_of_a_chunk(
    yard: Yard, store: SqlStore
) -> None:
    assert isinstance(store.database, PostgresDatabase)
    worker, claim = await yard.running(type=BULK_TYPE)
    await store.dismiss([worker.id])
    hold = Statement("bulk_hold", {"id": claim.id, "fence": claim.fence})

    async with store.database.connection() as connection, connection.transaction():
        assert await store.database.execute(connection, hold)
        meanwhile = await yard.reclaim()

    assert (meanwhile, await yard.reclaim()) == (0, 1)


@pytest.mark.parametrize("after", range(1, 5))
async def test_a_chunk_that_is_interrupted_after_any_statement_leaves_nothing_behind(
    yard: Yard, store: SqlStore, claim: Claim, after: int
) -> None:
    job = await yard.finished(FAILED)
    begin = await store.place(claim.id, claim.fence)

    with pytest.raises(ZeroDivisionError):
        await store.database.run(interrupted(advancing(chunk(claim, begin, [job])), after))

    assert await yard.state(job) is State.FAILED
    assert await store.place(claim.id, claim.fence) == begin


def interrupted(script: Script[Step], after: int) -> Script[Step]:
    """The first statements of a script, and then an error."""
    rows: Any = None
    for _ in range(after):
        rows = yield script.send(rows)
    raise ZeroDivisionError


async def test_a_chunk_of_nothing_moves_the_place(
    yard: Yard, store: SqlStore, claim: Claim
) -> None:
    place = await store.place(claim.id, claim.fence)
    far = yard.id()

    on = await store.advance(chunk(claim, place, [], before=far))
    end = await store.advance(chunk(claim, on.place, []))

    assert (on.place.before, on.place.over) == (far, False)
    assert (end.place.before, end.place.over) == (far, True)
    assert await store.place(claim.id, claim.fence) == end.place


async def test_the_place_is_forgotten_with_its_action(
    yard: Yard, store: SqlStore, claim: Claim
) -> None:
    await store.place(claim.id, claim.fence)
    await yard.settle(claim, Done())

    await store.delete([claim.id])

    assert await store.kept(claim.id, "place.json") is None


async def test_the_size_is_how_many_there_are_of_a_state_a_type_and_a_queue(
    yard: Yard, store: SqlStore
) -> None:
    await yard.finished(FAILED, queue="a")
    await yard.finished(FAILED, queue="a", type="other")
    await yard.finished(queue="a")
    await yard.enqueue(3, queue="b")

    async def size(**given: Any) -> int:
        return await store.size(JobFilter(**given))

    assert await size(states={State.FAILED}, queue="a") == 2
    assert await size(states={State.FAILED, State.COMPLETED}, type="mail") == 2
    assert await size(states={State.PENDING}) == 3
    assert await size(states={State.PENDING}, queue="a") == 0
