"""Claim: best first, never two takers, never what may not be taken."""

import asyncio
from datetime import timedelta
from itertools import pairwise

import pytest

from tests.store.yard import Yard
from windlass.core.job import JobId, Lane, State
from windlass.store.records import Demand
from windlass.store.sql_store import SqlStore


async def test_a_claim_carries_the_job_and_the_right_to_run_it(yard: Yard) -> None:
    worker = await yard.worker()
    payload = '{"to":"ada","text":"\\"ä\\u0000\\n"}'
    [job_id] = await yard.enqueue(payload=payload, queue="post", priority=3, max_attempts=5)

    [claim] = await yard.claim(worker)

    assert (claim.id, claim.fence, claim.worker) == (job_id, 1, worker.id)
    assert (claim.type, claim.queue, claim.payload, claim.priority) == ("mail", "post", payload, 3)
    assert (claim.lane, claim.threads, claim.max_attempts) == (Lane.OPEN, 0, 5)
    assert (claim.attempts, claim.failures, claim.crashes) == (0, 0, 0)
    job = await yard.job(job_id)
    assert (job.state, job.fence, job.worker) == (State.RUNNING, 1, worker.id)


async def test_the_time_of_the_database_comes_with_the_claims(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    await yard.enqueue()
    demand = Demand(node=worker.node, worker=worker.id, lane=Lane.OPEN, limit=1, types=worker.types)

    claimed = await store.claim(demand)

    assert claimed.now_us == yard.clock.now_us()


async def test_nothing_is_claimed_where_nothing_waits(yard: Yard) -> None:
    assert await yard.claim(await yard.worker()) == []


async def test_jobs_come_in_the_order_they_were_enqueued(yard: Yard) -> None:
    worker = await yard.worker()
    ids: list[JobId] = []
    for _ in range(5):
        ids += await yard.enqueue(2)
        yard.clock.advance(0.001)

    taken = [claim.id for _ in range(4) for claim in await yard.claim(worker, 3)]

    assert taken == ids


async def test_a_point_of_priority_is_worth_a_minute_of_waiting(yard: Yard) -> None:
    [old] = await yard.enqueue()
    yard.clock.advance(59)
    [urgent] = await yard.enqueue(priority=1)
    yard.clock.advance(2)
    [late] = await yard.enqueue(priority=1)
    [idle] = await yard.enqueue(priority=-100)
    worker = await yard.worker()

    claims = await yard.claim(worker)

    assert [claim.id for claim in claims] == [urgent, old, late, idle]


async def test_only_known_types_are_taken(yard: Yard) -> None:
    worker = await yard.worker("mail", "sms")
    await yard.enqueue(type="video")
    [mail] = await yard.enqueue(type="mail")
    [sms] = await yard.enqueue(type="sms")

    claims = await yard.claim(worker)

    assert [claim.id for claim in claims] == [mail, sms]


async def test_a_paused_queue_is_passed_over_from_now_on(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    [held] = await yard.enqueue(queue="slow")
    [free] = await yard.enqueue(queue="fast")
    await store.pause("slow", by="ada")

    before = await yard.claim(worker)
    await store.resume("slow")
    after = await yard.claim(worker)

    assert [claim.id for claim in before] == [free]
    assert [claim.id for claim in after] == [held]


@pytest.mark.parametrize("named", [1, 3, 60])
async def test_only_the_named_queues_are_served_best_first(yard: Yard, named: int) -> None:
    worker = await yard.worker(queues=[f"q{n}" for n in range(named)])
    wanted: list[JobId] = []
    for n in range(4):
        await yard.enqueue(queue="other")
        wanted += await yard.enqueue(queue=f"q{n % named}")
        yard.clock.advance(0.001)

    claims = await yard.claim(worker, 3)
    claims += await yard.claim(worker, 3)

    assert [claim.id for claim in claims] == wanted


@pytest.mark.parametrize("named", [2, 60])
async def test_a_paused_queue_is_passed_over_also_by_its_name(
    yard: Yard, store: SqlStore, named: int
) -> None:
    worker = await yard.worker(queues=[f"q{n}" for n in range(named)])
    await yard.enqueue(queue="q0")
    [free] = await yard.enqueue(queue="q1")
    await store.pause("q0", by="ada")

    claims = await yard.claim(worker)

    assert [claim.id for claim in claims] == [free]


async def test_each_lane_is_a_line_of_its_own(yard: Yard) -> None:
    worker = await yard.worker(threads=4)
    [plain] = await yard.enqueue()
    [wide] = await yard.enqueue(threads=2)

    from_open = await yard.claim(worker, lane=Lane.OPEN)
    from_threads = await yard.claim(worker, lane=Lane.THREADS)

    assert [claim.id for claim in from_open] == [plain]
    assert [claim.id for claim in from_threads] == [wide]


async def test_threads_are_handed_out_in_order_until_they_are_used_up(yard: Yard) -> None:
    worker = await yard.worker(threads=8)
    ids = [(await yard.enqueue(threads=n))[0] for n in (3, 3, 3, 1)]

    claims = await yard.claim(worker, lane=Lane.THREADS, free_threads=7, widest=8)

    # The third does not fit, and the fourth does not slip past it.
    assert [claim.id for claim in claims] == ids[:2]


async def test_a_job_wider_than_every_worker_takes_one_thread(yard: Yard) -> None:
    worker = await yard.worker(threads=4)
    ids = [(await yard.enqueue(threads=n))[0] for n in (64, 3)]

    claims = await yard.claim(worker, lane=Lane.THREADS, free_threads=4, widest=4)

    assert [claim.id for claim in claims] == ids


async def test_a_job_that_fits_a_wider_worker_is_left_to_it(yard: Yard) -> None:
    worker = await yard.worker(threads=4)
    await yard.enqueue(threads=6)

    claims = await yard.claim(worker, lane=Lane.THREADS, free_threads=4, widest=8)

    assert claims == []


@pytest.mark.parametrize("queues", [None, ["default"], [f"q{n}" for n in range(60)]])
async def test_a_job_is_left_to_a_wider_worker_of_which_the_claiming_one_has_not_heard(
    yard: Yard, store: SqlStore, queues: list[str] | None
) -> None:
    worker = await yard.worker(threads=4, queues=queues)
    wider = await yard.worker(threads=8)
    [job] = await yard.enqueue(threads=6, queue=queues[0] if queues else "default")

    meanwhile = await yard.claim(worker, lane=Lane.THREADS, widest=4)
    await store.dismiss([wider.id])
    afterwards = await yard.claim(worker, lane=Lane.THREADS, widest=4)

    assert meanwhile == []
    assert [claim.id for claim in afterwards] == [job]


async def test_a_node_whose_lease_has_run_out_gets_nothing(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    await yard.enqueue()
    yard.clock.advance(15)

    refused = await yard.claim(worker)
    await store.renew(worker.node, timedelta(seconds=15))
    granted = await yard.claim(worker)

    assert refused == []
    assert len(granted) == 1


async def test_a_node_that_nobody_knows_gets_nothing(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    await yard.enqueue()
    await store.leave(worker.node)

    assert await yard.claim(worker) == []


async def test_a_job_for_later_is_not_claimed(yard: Yard) -> None:
    worker = await yard.worker()
    await yard.enqueue(delay=timedelta(seconds=1))
    yard.clock.advance(2)

    assert await yard.claim(worker) == []


async def test_two_callers_never_get_the_same_job(yard: Yard) -> None:
    workers = [await yard.worker() for _ in range(4)]
    await yard.enqueue(200)

    async def take(number: int) -> list[JobId]:
        taken: list[JobId] = []
        while claims := await yard.claim(workers[number], 7):
            taken += [claim.id for claim in claims]
        return taken

    parts = await asyncio.gather(*(take(number) for number in range(4)))

    taken = [job_id for part in parts for job_id in part]
    # A claim may come back short while others hold the head of the line, never doubled.
    assert len(taken) == len(set(taken))
    rest = [claim.id for claim in await yard.claim(workers[0], 200)]
    assert sorted(taken + rest) == sorted({*taken, *rest})
    assert len(taken) + len(rest) == 200


async def test_claims_come_best_first(yard: Yard) -> None:
    worker = await yard.worker()
    for priority in (0, 5, -5, 3, 1):
        await yard.enqueue(3, priority=priority)

    claims = await yard.claim(worker, 15)

    assert len(claims) == 15
    assert all((a.rank, a.id) <= (b.rank, b.id) for a, b in pairwise(claims))


async def test_the_store_knows_what_a_worker_holds(yard: Yard, store: SqlStore) -> None:
    worker, other = await yard.worker(), await yard.worker()
    await yard.enqueue(3)
    mine = await yard.claim(worker, 2)
    await yard.claim(other, 1)

    held = await store.held(worker.id)

    assert sorted(held) == sorted(mine)
