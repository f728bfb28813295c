"""The work: who does it, and what nobody can do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import TYPE_CHECKING

from windlass.cli.checkup.finding import Finding, ok, warning
from windlass.cli.words import count
from windlass.core.job import State

if TYPE_CHECKING:
    from windlass.app import Job
    from windlass.store.records import Fleet, WorkerRecord
    from windlass.wiring import Windlass

# Enough to see every type and queue in which jobs pile up, and read in a blink.
SAMPLE = 1_000
NAMED = 5


async def examine(app: Windlass) -> AsyncIterator[Finding]:
    """Look at the fleet, the queues and the jobs that wait."""
    fleet = await app.fleet()
    counts = await app.stats()
    live = list(_live(fleet))
    yield _workers(live, fleet, waiting=counts[State.PENDING])
    if live:
        yield _takers(live, await app.jobs(status=State.PENDING, limit=SAMPLE))
    paused = [queue.name for queue in await app.queues() if queue.paused_at]
    if paused:
        names = ", ".join(paused[:NAMED])
        yield warning("queues", f"paused: {names}", f"if that is over: windlass resume {paused[0]}")
    failed = counts[State.FAILED]
    if failed:
        yield ok("failed jobs", f"{count(failed, 'job')}; see: windlass jobs --status failed")


def _live(fleet: Fleet) -> Iterator[WorkerRecord]:
    return (worker.record for worker in fleet.workers if worker.alive)


def _workers(live: Sequence[WorkerRecord], fleet: Fleet, waiting: int) -> Finding:
    if live:
        nodes = len({worker.node for worker in live})
        return ok("workers", f"{count(len(live), 'live worker')} on {count(nodes, 'node')}")
    gone = f"; {count(len(fleet.workers), 'worker')} stopped renewing" if fleet.workers else ""
    return warning(
        "workers",
        f"none is alive; waiting: {count(waiting, 'job')}{gone}",
        "windlass worker --app MODULE:APP",
    )


def _takers(live: Sequence[WorkerRecord], waiting: Sequence[Job]) -> Finding:
    stuck = {(job.type, job.queue): job for job in waiting if not _taken(live, job)}
    if not stuck:
        return ok("jobs that wait", "some live worker serves each type and queue")
    named = [f"{type_} in queue {queue}" for type_, queue in sorted(stuck)[:NAMED]]
    example = next(iter(stuck.values()))
    return warning(
        "jobs that wait",
        f"no live worker takes {', '.join(named)}",
        f"start a worker that does; why: windlass job {example.id}",
    )


def _taken(live: Sequence[WorkerRecord], job: Job) -> bool:
    return any(
        job.type in worker.types and (worker.queues is None or job.queue in worker.queues)
        for worker in live
    )
