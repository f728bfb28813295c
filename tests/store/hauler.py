"""A process that works on a SQLite file for a while, and tells what was committed.

`python -m tests.store.hauler FILE SECONDS NUMBER` enqueues, claims and settles. Each line it prints
is a promise of the store: `kept ID`, `done ID`, `stale ID`; at the end `over` and its slowest turn.
"""

import asyncio
import sys
from datetime import timedelta

from windlass.clock import SystemChance, SystemClock
from windlass.core.job import Lane, NewJob, NodeId, WorkerId
from windlass.core.settle import done
from windlass.store import migrate
from windlass.store.enqueue import lone
from windlass.store.migrate_sqlite import SqliteMigrator
from windlass.store.records import Demand, NodeRecord, WorkerRecord
from windlass.store.sql_store import SqlStore
from windlass.store.sqlite import SqliteDatabase

BATCH, ALONE = 20, 3


async def haul(path: str, seconds: float, number: int) -> None:
    clock, chance = SystemClock(), SystemChance()
    database = SqliteDatabase(path, clock=clock, chance=chance)
    await migrate.up(SqliteMigrator(database))
    store = SqlStore(database, clock)
    node, worker = NodeId(chance.token()), WorkerId(chance.token())
    await store.join(
        NodeRecord(id=node, host="here", pid=number, version="1"), timedelta(minutes=5)
    )
    record = WorkerRecord(
        id=worker, node=node, pid=number, slots=9, threads=1, types=["mail"], queues=None
    )
    await store.enlist(record)
    demand = Demand(node=node, worker=worker, lane=Lane.OPEN, limit=BATCH, types=["mail"])
    slowest = 0.0
    end = clock.monotonic() + seconds
    while clock.monotonic() < end:
        begun = clock.monotonic()
        jobs = [NewJob(id=chance.job_id(), type="mail", payload="{}") for _ in range(BATCH)]
        await store.enqueue(jobs)
        say(*(f"kept {job.id}" for job in jobs))
        alone = await asyncio.to_thread(keep_alone, database, chance)
        say(*(f"kept {job_id}" for job_id in alone))
        claims = (await store.claim(demand)).claims
        now = clock.monotonic()
        refused = await store.settle([done(claim, None, now, now) for claim in claims])
        say(*(f"stale {one.id}" for one in refused))
        say(*(f"done {claim.id}" for claim in claims))
        await store.counts()
        slowest = max(slowest, clock.monotonic() - begun)
    await store.close()
    say(f"over {slowest:.3f}")


def keep_alone(database: SqliteDatabase, chance: SystemChance) -> list[str]:
    """Keep a few jobs that come alone, as far as nobody has to be waited for."""
    jobs = [NewJob(id=chance.job_id(), type="mail", payload="{}") for _ in range(ALONE)]
    return [job.id for job in jobs if database.keep_here(lone(job))]


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(haul(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))
