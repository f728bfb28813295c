"""The whole fleet at a glance: its queues, its workers, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from windlass.core.bulk import BULK_QUEUE
from windlass.core.census import Census
from windlass.core.flow import UNKNOWN, Rates, drain
from windlass.core.incidents import Hand, Incident, Scene, Switch, Waiting, incidents
from windlass.core.trend import WINDOWS
from windlass.store.base import Store
from windlass.store.records import Fleet, QueueRecord, WorkerStatus
from windlass.store.rows import EPOCH
from windlass.store.trends import Pulse, Trend

NOUGHT = timedelta(0)
# A queue that had no job for so long is listed no more.
LATELY_US = 3 * 86_400 * 1_000_000


class QueueView(Struct, frozen=True, kw_only=True):
    """A queue, how jobs flow through it, and who serves it."""

    record: QueueRecord
    scheduled: int = 0
    oldest_age: timedelta | None = None  # how long the job that stands first has been due
    rates: Rates = UNKNOWN
    listeners: Sequence[WorkerStatus] = ()  # live workers that claim from it

    @property
    def drain(self) -> float | None:
        """Seconds until it is empty if all goes on like this; None if it never will be."""
        return drain(self.record.depth, self.rates)

    @property
    def slots(self) -> int:
        """How many attempts those who serve it may have open."""
        return sum(one.record.slots for one in self.listeners)

    @property
    def slots_in_use(self) -> int:
        """How many they have open, of whatever queue."""
        return sum(one.running for one in self.listeners)

    @property
    def saturation(self) -> float | None:
        """The share of their slots that is taken; None if nobody serves it."""
        return min(self.slots_in_use / self.slots, 1.0) if self.slots else None


class Board(Struct, frozen=True, kw_only=True):
    """What is told to whoever watches."""

    at: datetime
    queues: Sequence[QueueView]
    fleet: Fleet
    incidents: Sequence[Incident]

    def empty(self, queue: str) -> QueueView:
        """A queue in which nothing is: who serves it is known all the same."""
        listeners = [one for one in self.fleet.workers if _listens(one, queue)]
        return QueueView(record=QueueRecord(name=queue), listeners=listeners)


async def look(store: Store, redis_lost: timedelta | None = None) -> Board:
    """Read the board; what it asks of the store does not grow with the jobs there."""
    census, fleet, pulse = await store.census(), await store.fleet(), await store.pulse()
    records, trend = await store.queues(), await store.trend(WINDOWS["5m"])
    now = EPOCH + timedelta(microseconds=trend.now_us)
    records = _also_empty(records, census, pulse, trend.now_us)
    if pulse is not None and not pulse.is_of(trend.now_us):
        pulse = None
    scene = _scene(now, census, records, fleet, trend, redis_lost)
    return Board(
        at=now,
        queues=queue_views(now, records, census, fleet, pulse),
        fleet=fleet,
        incidents=incidents(scene),
    )


def _also_empty(
    records: Sequence[QueueRecord], census: Census, pulse: Pulse | None, now_us: int
) -> list[QueueRecord]:
    """The queues with jobs, and those that had some lately, by name."""
    seen = pulse.seen if pulse else {}
    lately = {
        line.queue for line in census.lines if now_us - seen.get(line.queue, now_us) < LATELY_US
    }
    empty = lately - {record.name for record in records}
    every = [*records, *(QueueRecord(name=name) for name in empty)]
    return sorted(every, key=lambda record: record.name)


def queue_views(
    now: datetime, records: Iterable[QueueRecord], census: Census, fleet: Fleet, pulse: Pulse | None
) -> list[QueueView]:
    """The queues, each with what is known of it."""
    rates: Mapping[str, Rates] = pulse.rates if pulse else {}
    scheduled: dict[str, int] = {}
    for line in census.lines:
        scheduled[line.queue] = scheduled.get(line.queue, 0) + line.scheduled
    return [
        QueueView(
            record=record,
            scheduled=scheduled.get(record.name, 0),
            oldest_age=None if record.oldest_at is None else max(now - record.oldest_at, NOUGHT),
            rates=rates.get(record.name, Rates(0.0, 0.0) if pulse else UNKNOWN),
            listeners=[one for one in fleet.workers if _listens(one, record.name)],
        )
        for record in records
    ]


def _listens(worker: WorkerStatus, queue: str) -> bool:
    queues = worker.record.queues
    takes = worker.alive and worker.drain_at is None and not worker.record.alone
    return takes and (queues is None or queue in queues or queue == BULK_QUEUE)


def _scene(
    now: datetime,
    census: Census,
    records: Iterable[QueueRecord],
    fleet: Fleet,
    trend: Trend,
    redis_lost: timedelta | None,
) -> Scene:
    steps = [step for step in trend.steps if step is not None]
    dead = sum(step.dead for step in steps)
    return Scene(
        now=now,
        waiting=[
            Waiting(line.queue, line.type, line.pending, _instant(line.oldest_us))
            for line in census.lines
            if line.pending
        ],
        switches=[
            Switch(record.name, record.paused_at, record.paused_by or "somebody")
            for record in records
            if record.paused_at is not None
        ],
        workers=_hands(fleet),
        dead=dead,
        ended=dead + sum(step.completed + step.cancelled for step in steps),
        redis_lost_at=None if redis_lost is None else now - redis_lost,
    )


def _hands(fleet: Fleet) -> list[Hand]:
    nodes = {one.record.id: one for one in fleet.nodes}
    return [
        Hand(
            id=one.record.id,
            host=nodes[one.record.node].record.host,
            pid=one.record.pid,
            queues=one.record.queues,
            types=one.record.types,
            slots=one.record.slots,
            running=one.running,
            alive=one.alive,
            lease_until=one.lease_until,
            renewed_at=nodes[one.record.node].renewed_at,
            alone=one.record.alone,
            drain_at=one.drain_at,
            drain_by=one.drain_by,
        )
        for one in fleet.workers
        if one.record.node in nodes
    ]


def _instant(moment_us: int | None) -> datetime | None:
    return None if moment_us is None else EPOCH + timedelta(microseconds=moment_us)
