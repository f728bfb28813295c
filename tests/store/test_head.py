"""Head: who stands first in a lane, and for how long."""

from tests.store.yard import Yard
from windlass.core.job import Lane
from windlass.core.placement import Head
from windlass.store.records import Demand
from windlass.store.sql_store import SqlStore


async def test_the_head_is_the_first_in_line_however_wide_it_is(
    yard: Yard, store: SqlStore
) -> None:
    worker = await yard.worker()
    await yard.enqueue(threads=8)
    yard.clock.advance(3)
    await yard.enqueue(threads=1)
    demand = Demand(
        node=worker.node, worker=worker.id, lane=Lane.THREADS, limit=1, types=worker.types
    )

    head = await store.head(demand)

    assert head == Head(threads=8, waited=3.0)


async def test_a_job_too_wide_for_the_worker_is_no_head_of_its(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    await yard.enqueue(threads=8)
    await yard.enqueue(threads=4)

    def demand(widest: int) -> Demand:
        return Demand(
            node=worker.node,
            worker=worker.id,
            lane=Lane.THREADS,
            limit=1,
            types=worker.types,
            threads=4,
            widest=widest,
        )

    beside_a_wider_one = await store.head(demand(widest=8))
    alone = await store.head(demand(widest=4))

    assert beside_a_wider_one == Head(threads=4, waited=0.0)
    assert alone == Head(threads=8, waited=0.0)  # it runs on one thread


async def test_a_job_that_nobody_may_take_is_no_head(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    await yard.enqueue(threads=8, queue="shut")
    await yard.enqueue(threads=4, type="unknown")
    await yard.enqueue(threads=2, queue="elsewhere")
    await store.pause("shut", "ada")
    demand = Demand(
        node=worker.node,
        worker=worker.id,
        lane=Lane.THREADS,
        limit=1,
        types=worker.types,
        queues=["default", "shut"],
    )

    head = await store.head(demand)

    assert head is None
