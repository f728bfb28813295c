"""Turns rows into values."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from windlass.core.claim import Claim
from windlass.core.explain import Facts, Line
from windlass.core.job import Attempt, Job, JobId, Lane, NodeId, Policy, State, WorkerId
from windlass.store.records import (
    Held,
    LogLine,
    NodeRecord,
    NodeStatus,
    Orphan,
    Progress,
    QueueRecord,
    TypeRecord,
    WorkerRecord,
    WorkerStatus,
)
from windlass.store.script import Row, Rows

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

# The columns of a claim, before the worker it was granted to.
CLAIM_COLUMNS = len(Claim._fields) - 1

# Looking an enum up by value costs as much as the rest of the row.
LANES: dict[str, Lane] = {lane.value: lane for lane in Lane}
LANE_PLACE = Claim._fields.index("lane")

_policy = msgspec.json.Decoder(Policy)
_held = msgspec.json.Decoder(list[Held])


def instant(value: Any) -> Any:
    """A moment as PostgreSQL has it, or made of SQLite's microseconds."""
    if isinstance(value, int):
        return EPOCH + timedelta(microseconds=value)
    return value


def microseconds(moment: Any) -> int:
    """A moment in whole microseconds since 1970."""
    since: timedelta = instant(moment) - EPOCH
    return since // MICROSECOND


def policy(text: str | None) -> Policy | None:
    """A job's departures from its executor's defaults."""
    return _policy.decode(text) if text else None


def claims(rows: Rows, worker: WorkerId) -> list[Claim]:
    """Claims granted to `worker`, in no order."""
    return [claim(row, worker) for row in rows]


def claim(row: Row, worker: WorkerId) -> Claim:
    """One claim."""
    lane = LANES[row[LANE_PLACE]]
    return Claim._make((*row[:LANE_PLACE], lane, *row[LANE_PLACE + 1 : CLAIM_COLUMNS], worker))


def orphan(row: Row) -> Orphan:
    """A running job that nobody runs any more."""
    worker, *facts = row[CLAIM_COLUMNS + 1 :]
    return Orphan(claim(row, WorkerId(worker)), *map(bool, facts))


def job(row: Row) -> Job:
    """A job, live or finished."""
    return Job(
        id=JobId(str(row["id"])),
        type=row["type"],
        queue=row["queue"],
        name=row["name"],
        state=State(row["state"]),
        lane=LANES[row["lane"]] if row["lane"] else None,
        priority=row["priority"],
        threads=row["threads"],
        payload=row["payload"],
        result=row["result"],
        error=row["error"],
        reason=row["reason"],
        attempts=row["attempts"],
        failures=row["failures"],
        crashes=row["crashes"],
        max_attempts=row["max_attempts"],
        max_crashes=row["max_crashes"],
        policy=policy(row["policy"]),
        key=row["key"],
        fence=row["fence"],
        worker=_worker(row["worker"]),
        cancel_requested=bool(row["cancel_requested"]),
        created_at=instant(row["created_at"]),
        run_at=instant(row["run_at"]),
        started_at=instant(row["started_at"]),
        finished_at=instant(row["finished_at"]),
    )


def attempt(row: Row) -> Attempt:
    """An attempt that ended otherwise than well."""
    return Attempt(
        job=JobId(str(row["job"])),
        fence=row["fence"],
        reason=row["reason"],
        error=row["error"],
        trace=row["trace"],
        worker=_worker(row["worker"]),
        started_at=instant(row["started_at"]),
        finished_at=instant(row["finished_at"]),
    )


def progress(row: Row) -> Progress:
    """How far an attempt has come."""
    return Progress(
        job=JobId(str(row["job"])),
        fence=row["fence"],
        fraction=row["fraction"],
        message=row["message"],
        at=instant(row["at"]),
    )


def line(row: Row) -> LogLine:
    """A line that a handler logged."""
    return LogLine(
        job=JobId(str(row["job"])),
        fence=row["fence"],
        number=row["number"],
        level=row["level"],
        message=row["message"],
        at=instant(row["at"]),
    )


def queue(row: Row) -> QueueRecord:
    """A queue."""
    return QueueRecord(
        name=row["name"],
        paused_at=instant(row["paused_at"]),
        paused_by=row["paused_by"],
        depth=row["depth"],
        running=row["running"],
        oldest_at=instant(row["oldest_at"]),
    )


def node(row: Row) -> NodeStatus:
    """A node and its lease."""
    record = NodeRecord(
        id=NodeId(str(row["id"])), host=row["host"], pid=row["pid"], version=row["version"]
    )
    return NodeStatus(
        record=record,
        lease_until=instant(row["lease_until"]),
        alive=bool(row["alive"]),
        started_at=instant(row["started_at"]),
        renewed_at=instant(row["renewed_at"]),
        quiet=instant(row["now"]) - instant(row["renewed_at"]),
    )


def worker(row: Row) -> WorkerStatus:
    """A worker and the jobs it runs."""
    record = WorkerRecord(
        id=WorkerId(str(row["id"])),
        node=NodeId(str(row["node"])),
        pid=row["pid"],
        slots=row["slots"],
        threads=row["threads"],
        alone=bool(row["alone"]),
        types=_names(row["types"]) or (),
        queues=_names(row["queues"]),
    )
    held = _held.decode(row["held"]) if row["held"] else []
    return WorkerStatus(
        record=record,
        running=row["running"],
        jobs=[one.id for one in held],
        started_at=instant(row["started_at"]),
        lease_until=instant(row["lease_until"]),
        alive=bool(row["alive"]),
        threads_in_use=int(row["threads_in_use"]),
        held=held,
        drain_at=instant(row["drain_at"]),
        drain_by=row["drain_by"],
    )


def type_of_job(row: Row) -> TypeRecord:
    """A type of job as it was published."""
    return TypeRecord(**{**dict(row), "seen_at": instant(row["seen_at"])})


def facts(row: Row, of: Job) -> Facts:
    """What bears on why a job waits."""
    return Facts(
        job=of,
        now_us=row["now_us"],
        ahead=row["ahead"],
        line=_line(row),
        queue_paused=row["paused_by"] is not None,
        paused_by=row["paused_by"],
        workers=row["workers"],
        draining=row["draining"],
        workers_for_type=row["workers_for_type"],
        workers_for_queue=row["workers_for_queue"],
        widest=row["widest"],
        claims_per_second=row["claims_per_second"],
        lease_until=instant(row["lease_until"]),
        worker_threads=row["worker_threads"],
    )


def _line(row: Row) -> Line | None:
    if row["rank"] is None or row["first_rank"] is None or row["pending"] is None:
        return None
    return Line(row["rank"], row["first_rank"], row["last_rank"], row["pending"])


def names(value: Any) -> list[str]:
    """A list of names, as PostgreSQL's array or SQLite's JSON text; nothing is the empty list."""
    return _names(value) or []


def _names(value: Any) -> list[str] | None:
    if isinstance(value, str):
        return msgspec.json.decode(value, type=list[str])
    return value if value is None else list(value)


def _worker(value: Any) -> WorkerId | None:
    return None if value is None else WorkerId(str(value))
