"""Claims and settles with our statements and no scheduler: the yardstick for every drain.

What is left out is what a scheduler adds: values for claims and settlements, handlers, slots,
leases, bells. It is as quick as these tables allow, so that a share of it is a share of the best.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from operator import itemgetter
from typing import Any

from benchmarks.figure import Dialect, Figure
from benchmarks.jobs import load
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.sites import Site
from windlass.clock import SystemChance, SystemClock
from windlass.core.claim import Claim
from windlass.core.job import NodeId, WorkerId
from windlass.store.base import Database
from windlass.store.records import HIGHEST_RANK, LOWEST_RANK, NodeRecord, WorkerRecord
from windlass.store.script import Row, Rows, Statement
from windlass.store.settling import DONE_COLUMNS
from windlass.store.sql_store import SqlStore
from windlass.store.sqlite import SqliteDatabase
from windlass.store.sqlite_session import Session

TYPE = "nothing"
BATCH = 500
AHEAD = 2  # batches that are claimed before they are needed
LEASE = timedelta(hours=1)

ID, FENCE, RANK = (Claim._fields.index(name) for name in ("id", "fence", "rank"))


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """Time from the first claim to the last settlement."""
    async with bench.fresh() as site:
        bench.say(f"loading {bench.scale.jobs:,} jobs")
        async with site.open() as database:
            await load(database, bench.scale.jobs)
        site.settle_down()
        bench.say("claiming and settling")
        here, server = time.process_time(), site.cpu()
        seconds = await drained(site)
        here, server = time.process_time() - here, site.cpu() - server
        [(finished,)] = site.ask("select count(*) from windlass_history where attempts = 1")
        assert finished == bench.scale.jobs
        yield Sample("raw", finished / seconds)
        yield Sample("raw, client", here / finished * 1e6)
        if site.dialect is Dialect.POSTGRES:
            yield Sample("raw, database", server / finished * 1e6)


MEASURE = Measure(
    name="raw",
    figures=(
        Figure(name="raw", unit="jobs/s"),
        Figure(name="raw, client", unit="µs CPU/job"),
        Figure(name="raw, database", unit="µs CPU/job"),
    ),
    take=take,
)


async def drained(site: Site) -> float:
    """Empty the line, and answer with the seconds that it took."""
    async with site.open(inline=True) as database:
        hand = await Hand.of(database)
        before = time.perf_counter()
        if isinstance(database, SqliteDatabase):
            await in_one_transaction(database, hand)
        else:
            await on_two_connections(database, hand)
        return time.perf_counter() - before


async def on_two_connections(database: Database, hand: Hand) -> None:
    """One claims ahead while the other settles: PostgreSQL uses both cores."""
    claimed: asyncio.Queue[Rows] = asyncio.Queue(AHEAD)

    async def claim() -> None:
        low = LOWEST_RANK
        while rows := await database.write(hand.claim(low)):
            # Those below are gone: nobody else enqueues or claims.
            low = max(row[RANK] for row in rows)
            await claimed.put(rows)
        await claimed.put(())

    async def settle() -> None:
        while rows := await claimed.get():
            await database.write(hand.finish(rows))

    async with asyncio.TaskGroup() as group:
        group.create_task(claim())
        group.create_task(settle())


async def in_one_transaction(database: SqliteDatabase, hand: Hand) -> None:
    """SQLite has one writer, whose least effort is to settle a batch and claim the next at once."""
    rows = await database.write(hand.claim(LOWEST_RANK))

    def turn(session: Session) -> Rows:
        session.answer(hand.finish(rows))
        return session.answer(hand.claim(LOWEST_RANK))

    while rows:
        rows = await database.perform(turn)


class Hand:
    """A worker on paper, so that claims and settlements have somebody to belong to."""

    def __init__(self, node: NodeId, worker: WorkerId) -> None:
        self.node = node
        self.worker = worker

    @classmethod
    async def of(cls, database: Database) -> Hand:
        """Make one known to the fleet."""
        chance = SystemChance()
        hand = cls(NodeId(chance.token()), WorkerId(chance.token()))
        store = SqlStore(database, SystemClock())
        await store.join(NodeRecord(id=hand.node, host="raw", pid=1, version="0"), LEASE)
        await store.enlist(
            WorkerRecord(
                id=hand.worker,
                node=hand.node,
                pid=1,
                slots=BATCH,
                threads=4,
                types=[TYPE],
                queues=None,
            )
        )
        return hand

    def claim(self, low: int) -> Statement:
        """Take the next batch from this rank on."""
        return Statement(
            "claim",
            {
                "node": self.node,
                "worker": self.worker,
                "lane": "open",
                "limit": BATCH,
                "types": [TYPE],
                "free_threads": 4,
                "widest": 4,
                "los": [str(low)],
                "his": [str(HIGHEST_RANK)],
            },
        )

    def finish(self, rows: Rows) -> Statement:
        """Complete what was claimed; ids ascend, as the statement wants them."""
        done = [ended(row) for row in sorted(rows, key=itemgetter(ID))]
        return Statement("settle_done", {"worker": self.worker}, DONE_COLUMNS, done)


def ended(row: Row) -> tuple[Any, ...]:
    """A settlement in the order of its columns: it ran for a millisecond and all was well."""
    return (row[ID], row[FENCE], 1000, 0, None)
