"""Why a job is where it is, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, assert_never

from msgspec import Struct

from windlass.core.duration import LONGEST, in_words
from windlass.core.job import Job, Lane, State

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# How far the store counts the jobs that are ahead.
COUNTED = 10_000


class Line(NamedTuple):
    """Where a job stands between the ends of a long line, by rank, and about how long that is."""

    rank: int
    first: int
    last: int
    length: int


class Facts(Struct, frozen=True, kw_only=True):
    """Everything that bears on why one job waits."""

    job: Job
    now_us: int
    ahead: int = 0  # jobs before it in its line, counted up to 10,000
    line: Line | None = None  # known where lines are long
    paused_by: str | None = None
    queue_paused: bool = False
    workers: int = 0  # live workers that take jobs
    draining: int = 0  # live ones that were told to take no more
    workers_for_type: int = 0
    workers_for_queue: int = 0
    widest: int = 0
    claims_per_second: float = 0.0
    lease_until: datetime | None = None
    worker_threads: int | None = None  # of the worker that has it


class Explanation(Struct, frozen=True, kw_only=True):
    """Why a job is where it is: in sentences, the most telling first, and in figures."""

    state: State
    sentences: list[str]
    ahead: int | None = None  # jobs before it in its line; None where it stands in none
    ahead_exact: bool = True  # else there are more …
    ahead_about: int | None = None  # … perhaps so many
    wait: timedelta | None = None  # about how long yet, as far as that can be told
    due_at: datetime | None = None  # of a job that is scheduled
    paused_by: str | None = None  # of its queue
    workers: int = 0  # live ones
    workers_for_type: int = 0
    workers_for_queue: int = 0
    widest: int = 0  # the most threads of any
    claims_per_second: float = 0.0
    lease_until: datetime | None = None  # of the worker that runs it


def explain(facts: Facts) -> Explanation:
    """Say why the job is where it is."""
    pending = facts.job.state is State.PENDING
    scheduled = facts.job.state is State.SCHEDULED
    return Explanation(
        state=facts.job.state,
        sentences=sentences(facts),
        ahead=facts.ahead if pending else None,
        ahead_exact=facts.ahead < COUNTED,
        ahead_about=_about(facts) if pending else None,
        wait=_wait(facts),
        due_at=facts.job.run_at if scheduled else None,
        paused_by=facts.paused_by,
        workers=facts.workers,
        workers_for_type=facts.workers_for_type,
        workers_for_queue=facts.workers_for_queue,
        widest=facts.widest,
        claims_per_second=facts.claims_per_second,
        lease_until=facts.lease_until,
    )


def _about(facts: Facts) -> int | None:
    """How many are ahead; beyond what is counted, as if jobs came to the line evenly."""
    if facts.ahead < COUNTED:
        return facts.ahead
    line = facts.line
    if line is None or line.last <= line.first:
        return None
    share = (line.rank - line.first) / (line.last - line.first)
    return max(round(line.length * share), COUNTED)


def _wait(facts: Facts) -> timedelta | None:
    """How long yet: until it is due, or until those ahead are claimed if anything is."""
    job = facts.job
    if job.state is State.SCHEDULED:
        return max(job.run_at - _now(facts), timedelta(0))
    if job.state is not State.PENDING or any(_obstacles(facts)):
        return None
    ahead = _about(facts)
    if not ahead:
        return None if ahead is None else timedelta(0)
    if not facts.claims_per_second:
        return None
    return timedelta(seconds=min(ahead / facts.claims_per_second, LONGEST.total_seconds()))


def sentences(facts: Facts) -> list[str]:
    """Why the job is where it is, the most telling sentence first."""
    match facts.job.state:
        case State.SCHEDULED:
            return [_scheduled(facts), *_obstacles(facts)]
        case State.PENDING:
            return list(_obstacles(facts)) or list(_turn(facts))
        case State.RUNNING:
            return list(_running(facts))
        case State.COMPLETED | State.FAILED | State.CANCELLED:
            return [_finished(facts.job)]
        case state:
            assert_never(state)


def _scheduled(facts: Facts) -> str:
    job = facts.job
    due = _due(facts)
    if job.crashes:
        return f"retry after crash {job.crashes} of {job.max_crashes}, {due}"
    if job.failures:
        return f"retry after failure {job.failures} of {job.max_attempts}, {due}"
    return f"scheduled until {_instant(job.run_at)}, {due}"


def _due(facts: Facts) -> str:
    wait = (facts.job.run_at - _now(facts)).total_seconds()
    return f"due in {in_words(wait)}" if wait > 0 else "due now, about to be promoted"


def _obstacles(facts: Facts) -> Iterator[str]:
    """What must change before anybody may take the job."""
    job = facts.job
    if facts.queue_paused:
        yield f"queue {job.queue} is paused by {facts.paused_by}"
    if not facts.workers:
        yield "every live worker is draining" if facts.draining else "no worker is alive"
        return
    if not facts.workers_for_type:
        yield f"no live worker knows type {job.type}"
    if not facts.workers_for_queue:
        yield f"no live worker serves queue {job.queue}"


def _turn(facts: Facts) -> Iterator[str]:
    job = facts.job
    if job.lane is Lane.PARKED:
        yield "was parked and may run again: about to be put back in line"
    if job.lane is Lane.ALONE:
        yield "its process died under it: waits for a process of its own"
    if job.threads > facts.widest:
        yield (
            f"asks for {job.threads} threads, wider than every worker (at most {facts.widest}):"
            " will run on one thread"
        )
    yield _place(facts)


def _place(facts: Facts) -> str:
    threads = facts.job.threads
    if not facts.ahead and 1 < threads <= facts.widest:
        return f"is next in line: starts as soon as a worker has {threads} threads free"
    if not facts.ahead:
        return "is next in line"
    wait = _wait(facts)
    if wait is None and not facts.claims_per_second:
        return f"waits its turn: {_ahead(facts)}, and nothing was claimed in the last minute"
    if wait is None:
        return f"waits its turn: {_ahead(facts)}"
    return f"waits its turn: {_ahead(facts)}, about {in_words(wait.total_seconds())}"


def _ahead(facts: Facts) -> str:
    about = _about(facts)
    if facts.ahead >= COUNTED:
        perhaps = f", perhaps {about:,}" if about else ""
        return f"more than {COUNTED:,} jobs are ahead{perhaps}"
    return "1 job is ahead" if facts.ahead == 1 else f"{facts.ahead:,} jobs are ahead"


def _running(facts: Facts) -> Iterator[str]:
    job = facts.job
    if job.cancel_requested:
        yield "was asked to stop, and has not stopped yet"
    where = f"running on worker {job.worker}"
    if facts.lease_until is None:
        yield f"{where}, which is gone: about to be reclaimed"
    elif facts.lease_until <= _now(facts):
        yield f"{where}, whose lease ran out at {_instant(facts.lease_until)}: to be reclaimed"
    else:
        yield f"{where}, lease until {_instant(facts.lease_until)}"
    # A worker takes a job that is wider than itself only if it is wider than every other, too.
    if facts.worker_threads is not None and job.threads > facts.worker_threads:
        yield (
            f"runs on one thread: it asks for {job.threads},"
            " and no live worker had so many when it was claimed"
        )


def _finished(job: Job) -> str:
    when = f"{job.state} at {_instant(job.finished_at)}" if job.finished_at else str(job.state)
    if job.state is not State.FAILED:
        return when
    reasons = {
        "attempts": f"failure {job.failures} of {job.max_attempts}",
        "crash": f"crash {job.crashes} of {job.max_crashes}",
        "final": "its handler said that trying again is no use",
    }
    return f"{when}: {reasons.get(job.reason or '', job.reason)}; {job.error}"


def _now(facts: Facts) -> datetime:
    return EPOCH + timedelta(microseconds=facts.now_us)


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
