"""Nodes and workers: who is there, until when, and what they are told."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.store.yard import LEASE, Yard
from windlass.core.errors import AlreadyKept
from windlass.core.job import JobId, Lane, NodeId, State, WorkerId
from windlass.core.outcome import Crashed
from windlass.core.settle import Settlement
from windlass.store import sql_reader
from windlass.store.records import Ask, Gone, Held, NodeRecord, Orphan, Standing, WorkerRecord
from windlass.store.sql_store import SqlStore


async def test_a_node_and_its_workers_are_known(yard: Yard, store: SqlStore) -> None:
    node = NodeRecord(id=NodeId(yard.chance.token()), host="rack 1", pid=7, version="1.2")
    worker = WorkerRecord(
        id=WorkerId(yard.chance.token()),
        node=node.id,
        pid=8,
        slots=100,
        threads=4,
        types=["mail", "sms"],
        queues=["fast", "slow"],
        alone=True,
    )

    await store.join(node, LEASE)
    await store.enlist(worker)

    fleet = await store.fleet()
    until = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=yard.clock.now_us()) + LEASE
    begun = until - LEASE
    assert list(fleet.nodes) == [(node, until, True, begun, begun, timedelta(0))]
    assert list(fleet.workers) == [(worker, 0, [], begun, until, True, 0, [], None, None)]


async def test_a_worker_that_serves_every_queue_names_none(yard: Yard, store: SqlStore) -> None:
    await yard.worker(queues=None)

    [(record, *_)] = (await store.fleet()).workers

    assert record.queues is None


async def test_the_fleet_says_how_many_jobs_each_worker_runs(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    await yard.enqueue(3)
    await yard.claim(worker, 2)

    [(_, running, *_)] = (await store.fleet()).workers

    assert running == 2


async def test_the_fleet_says_which_jobs_each_worker_runs(
    yard: Yard, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_reader, "MOST_SHOWN", 2)
    worker = await yard.worker()
    ids = await yard.enqueue(3)
    await yard.claim(worker, 3)
    yard.clock.advance(LEASE.total_seconds())

    [status] = (await store.fleet()).workers

    assert status.jobs == sorted(ids, reverse=True)[:2]
    assert status.running == 3
    assert status.lease_until == status.started_at + LEASE
    assert not status.alive


async def test_the_fleet_says_what_those_jobs_are_and_how_many_threads_they_have(
    yard: Yard, store: SqlStore
) -> None:
    worker = await yard.worker(threads=4)
    [narrow] = await yard.enqueue(threads=2, queue="images", name="portrait")
    [wide] = await yard.enqueue(threads=64)
    await yard.claim(worker, lane=Lane.THREADS)

    [status] = (await store.fleet()).workers

    assert status.threads_in_use == 3
    assert list(status.held) == [
        Held(wide, "mail", "default", None, 1, yard.clock.now_us()),
        Held(narrow, "mail", "images", "portrait", 2, yard.clock.now_us()),
    ]


async def test_a_worker_that_shall_drain_is_told_with_the_next_renewal(
    yard: Yard, store: SqlStore
) -> None:
    worker = await yard.worker()
    other = await yard.worker(node=worker.node)

    known = await store.drain(worker.id, "ann")
    yard.clock.advance(1)
    await store.drain(worker.id, "bob")
    told = await store.renew(worker.node, LEASE)
    statuses = {one.record.id: one for one in (await store.fleet()).workers}
    await store.end_drain(worker.id)
    after = await store.renew(worker.node, LEASE)

    assert known
    assert told.draining == (worker.id,)
    assert after.draining == ()
    drained = statuses[worker.id]
    assert drained.drain_by == "ann"
    assert drained.drain_at == drained.started_at
    assert statuses[other.id].drain_at is None


async def test_who_has_ended_cannot_drain(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    await store.dismiss([worker.id])

    assert not await store.drain(worker.id, "ann")
    assert not await store.end_drain(worker.id)


async def test_a_job_is_explained_by_who_drains(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    [job] = await yard.enqueue()
    await store.drain(worker.id, "ann")

    facts = await store.facts(job)

    assert facts is not None
    assert (facts.workers, facts.draining) == (0, 1)


async def test_a_node_whose_lease_ran_out_is_not_alive(yard: Yard, store: SqlStore) -> None:
    await yard.node()
    yard.clock.advance(LEASE.total_seconds())

    [status] = (await store.fleet()).nodes

    assert not status.alive
    assert status.quiet == LEASE


async def test_renewing_extends_the_lease_and_tells_the_standing(
    yard: Yard, store: SqlStore
) -> None:
    node = await yard.node()
    await yard.worker(node=node, threads=3)
    await yard.worker(threads=9)
    await yard.worker(threads=64, alone=True)
    yard.clock.advance(5)

    standing = await store.renew(node, timedelta(seconds=15))

    assert standing == Standing(
        known=True, now_us=yard.clock.now_us(), aging_us=60_000_000, widest=9, suspects=0
    )
    yard.clock.advance(14.999)
    alive = [one for one in (await store.fleet()).nodes if one.alive]
    assert [one.record.id for one in alive] == [node]
    assert alive[0].quiet == timedelta(seconds=14.999)


async def test_only_live_workers_count_for_the_widest(yard: Yard, store: SqlStore) -> None:
    node = await yard.node()
    await yard.worker(node=node, threads=2)
    ended = await yard.worker(node=node, threads=16)
    await yard.worker(threads=8)
    await store.dismiss([ended.id])
    yard.clock.advance(16)

    standing = await store.renew(node, LEASE)

    # The node's own workers count although its lease had run out; the other node's do not.
    assert standing.widest == 2


async def test_a_lease_that_ran_out_may_be_renewed(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    yard.clock.advance(100)

    standing = await store.renew(worker.node, LEASE)

    assert standing.known
    await yard.enqueue()
    assert len(await yard.claim(worker)) == 1


async def test_a_node_that_was_forgotten_is_told_so(yard: Yard, store: SqlStore) -> None:
    node = await yard.node()
    await store.leave(node)

    assert await store.renew(node, LEASE) == Standing(known=False)


async def test_the_standing_counts_suspects_up_to_eight(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    await yard.enqueue(10)
    claims = await yard.claim(worker)
    await store.settle([yard.end(claim, Crashed(alone=False)) for claim in claims[:3]])
    few = await store.renew(worker.node, LEASE)
    await store.settle([yard.end(claim, Crashed(alone=False)) for claim in claims[3:]])

    many = await store.renew(worker.node, LEASE)

    assert (few.suspects, many.suspects) == (3, 8)
    assert len(await yard.claim(worker, 20, lane=Lane.ALONE)) == 10


async def test_leaving_takes_the_workers_along(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    stays = await yard.worker()

    await store.leave(worker.node)

    fleet = await store.fleet()
    assert [record.id for record, *_ in fleet.nodes] == [stays.node]
    assert [record.id for record, *_ in fleet.workers] == [stays.id]


async def test_a_dismissed_worker_is_no_longer_listed(yard: Yard, store: SqlStore) -> None:
    worker, other = await yard.worker(), await yard.worker()

    await store.dismiss([worker.id])
    await store.dismiss([])

    assert [record.id for record, *_ in (await store.fleet()).workers] == [other.id]


async def test_a_node_reads_the_asks_of_its_own_workers(yard: Yard, store: SqlStore) -> None:
    worker, claim = await yard.running()
    stranger, foreign = await yard.running()
    [waiting] = await yard.enqueue()
    await store.cancel([claim.id, foreign.id, waiting])

    mine, theirs = await store.asked(worker.node), await store.asked(stranger.node)

    assert mine == [Ask(claim.id, claim.fence, worker.id)]
    assert theirs == [Ask(foreign.id, foreign.fence, stranger.id)]


async def test_an_ask_is_gone_with_the_attempt(yard: Yard, store: SqlStore) -> None:
    worker, claim = await yard.running()
    await store.cancel([claim.id])
    await yard.settle(claim, Crashed(alone=True))

    assert await store.asked(worker.node) == []
    assert await yard.state(claim.id) is State.CANCELLED


@pytest.mark.parametrize("age", [timedelta(minutes=59), timedelta(minutes=61)])
async def test_a_node_that_ended_without_leaving_is_forgotten_after_an_hour(
    yard: Yard, store: SqlStore, age: timedelta
) -> None:
    node = await yard.node(lease=timedelta(0))
    yard.clock.advance(age.total_seconds())

    await store.prune(timedelta(days=1), 10)

    known = [record.id for record, *_ in (await store.fleet()).nodes]
    assert known == ([node] if age < timedelta(hours=1) else [])


async def test_an_orphan_tells_what_died_and_whether_it_crashed_before(
    yard: Yard, store: SqlStore
) -> None:
    _, lost = await yard.running()
    ended, told = await yard.running()
    _, fallen = await yard.running()
    await yard.settle(fallen, Crashed(alone=False))
    await yard.claim(await yard.worker(), lane=Lane.ALONE)
    await store.dismiss([ended.id])
    yard.clock.advance(LEASE.total_seconds() + 1)
    orphans: dict[JobId, Orphan] = {}

    def decide(orphan: Orphan) -> Settlement:
        orphans[orphan.claim.id] = orphan
        return yard.decide(orphan)

    await store.reclaim(decide, 500, Gone(await store.lapsed()))

    facts = {job: (one.node_lost, one.crashed_before) for job, one in orphans.items()}
    assert facts == {lost.id: (True, False), told.id: (False, False), fallen.id: (True, True)}


async def test_a_worker_that_ended_is_forgotten_once_its_jobs_are_reclaimed(
    yard: Yard, store: SqlStore
) -> None:
    worker, claim = await yard.running()
    [(record, *_)] = (await store.fleet()).workers
    await store.dismiss([worker.id])

    await store.prune(timedelta(days=1), 10)
    with pytest.raises(AlreadyKept):
        await store.enlist(record)
    await yard.reclaim()
    await store.prune(timedelta(days=1), 10)
    await store.enlist(record)

    assert await yard.state(claim.id) is State.PENDING


async def test_a_node_with_running_jobs_is_not_forgotten(yard: Yard, store: SqlStore) -> None:
    worker, _ = await yard.running()
    yard.clock.advance(7_200)

    await store.prune(timedelta(days=1), 10)

    assert [record.id for record, *_ in (await store.fleet()).nodes] == [worker.node]
