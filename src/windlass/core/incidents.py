"""What is wrong right now, in sentences, and where to look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from windlass.core.bulk import BULK_QUEUE
from windlass.core.duration import in_words

# A job that is due for longer than this waits long, whatever it waits for.
LONG = timedelta(minutes=10)
# A worker that is silent for half of its lease is late.
LATE = 0.5
# That somebody is gone who left nothing behind is news for so long.
NEWS = timedelta(minutes=10)
# So many dead letters in the last minutes, and such a part of all that ended, is more than usual.
MANY_DEAD, DEAD_SHARE = 10, 0.1


class Severity(StrEnum):
    """How bad it is."""

    CRITICAL = "critical"  # jobs wait that nobody will run
    WARNING = "warning"  # it will get worse by itself, or somebody has left it so
    INFO = "info"


class About(NamedTuple):
    """Where to look."""

    kind: str  # fleet, queue, type, worker, dead, redis
    name: str


class Incident(Struct, frozen=True, kw_only=True):
    """Something that is wrong; `since` is when it began, as far as that is known."""

    kind: str
    severity: Severity
    sentence: str
    about: About
    since: datetime | None = None


class Waiting(NamedTuple):
    """So many jobs of a queue and type wait, and the first was due then."""

    queue: str
    type: str
    jobs: int
    oldest_at: datetime | None


class Switch(NamedTuple):
    """A queue that somebody has paused."""

    queue: str
    at: datetime
    by: str


class Hand(Struct, frozen=True, kw_only=True):
    """A worker, as far as it matters here."""

    id: str
    host: str
    pid: int
    queues: Sequence[str] | None
    types: Sequence[str]
    slots: int
    running: int
    alive: bool
    lease_until: datetime
    renewed_at: datetime
    alone: bool = False
    drain_at: datetime | None = None
    drain_by: str | None = None

    @property
    def takes(self) -> bool:
        """Whether it claims jobs of those who wait in line."""
        return self.alive and self.drain_at is None and not self.alone

    def serves(self, queue: str) -> bool:
        """Whether it would claim from this queue."""
        return self.queues is None or queue in self.queues or queue == BULK_QUEUE

    def __str__(self) -> str:
        """By what people know it."""
        return f"worker {self.id[:8]} (process {self.pid} on {self.host})"


class Scene(Struct, frozen=True, kw_only=True):
    """Everything that bears on what is wrong."""

    now: datetime
    waiting: Sequence[Waiting] = ()
    switches: Sequence[Switch] = ()
    workers: Sequence[Hand] = ()
    dead: float = 0  # in the last five minutes
    ended: float = 0
    redis_lost_at: datetime | None = None

    @property
    def takers(self) -> Sequence[Hand]:
        """Those who claim jobs."""
        return [worker for worker in self.workers if worker.takes]


ORDER = {severity: place for place, severity in enumerate(Severity)}


def incidents(scene: Scene) -> list[Incident]:
    """What is wrong, the worst first, and of the equally bad what has lasted longest."""
    found = [
        *_nobody(scene),
        *_unserved(scene),
        *_paused(scene),
        *_old(scene),
        *_busy(scene),
        *_workers(scene),
        *_dead(scene),
        *_redis(scene),
    ]
    return sorted(found, key=lambda one: (ORDER[one.severity], one.since or scene.now))


def _nobody(scene: Scene) -> Iterator[Incident]:
    if scene.takers or not scene.waiting:
        return
    jobs = _jobs(sum(line.jobs for line in scene.waiting))
    since = _since(scene, scene.waiting, scene.workers)
    who = "every live worker is draining" if _live(scene) else "no worker is alive"
    yield Incident(
        kind="no-worker",
        severity=Severity.CRITICAL,
        sentence=f"{who}, and {jobs}{_for(scene, since)}",
        about=About("fleet", ""),
        since=since,
    )


def _unserved(scene: Scene) -> Iterator[Incident]:
    """Queues that nobody serves, and types that nobody knows there."""
    if not scene.takers:
        return  # said already
    paused = {switch.queue for switch in scene.switches}
    for queue, lines in _by_queue(scene).items():
        if queue in paused:
            continue
        serving = [worker for worker in scene.takers if worker.serves(queue)]
        if not serving:
            yield _no_queue_worker(scene, queue, lines)
            continue
        known = {type_ for worker in serving for type_ in worker.types}
        for line in lines:
            if line.type not in known:
                yield _no_type_worker(scene, line)


def _no_queue_worker(scene: Scene, queue: str, lines: Sequence[Waiting]) -> Incident:
    served = [worker for worker in scene.workers if worker.serves(queue)]
    since = _since(scene, lines, served)
    for_long = f" for {_span(scene, since)}" if since else ""
    return Incident(
        kind="no-queue-worker",
        severity=Severity.CRITICAL,
        sentence=f"queue {queue} has had no worker{for_long},"
        f" and {_jobs(sum(line.jobs for line in lines))} there",
        about=About("queue", queue),
        since=since,
    )


def _no_type_worker(scene: Scene, line: Waiting) -> Incident:
    return Incident(
        kind="no-type-worker",
        severity=Severity.CRITICAL,
        sentence=f"no live worker of queue {line.queue} knows type {line.type},"
        f" and {_jobs(line.jobs)}{_for(scene, line.oldest_at)}",
        about=About("type", line.type),
        since=line.oldest_at,
    )


def _paused(scene: Scene) -> Iterator[Incident]:
    queues = _by_queue(scene)
    for switch in scene.switches:
        jobs = sum(line.jobs for line in queues.get(switch.queue, ()))
        if jobs:
            yield Incident(
                kind="paused",
                severity=Severity.WARNING,
                sentence=f"queue {switch.queue} was paused {_span(scene, switch.at)} ago"
                f" by {switch.by}, and {_jobs(jobs)} there",
                about=About("queue", switch.queue),
                since=switch.at,
            )


def _old(scene: Scene) -> Iterator[Incident]:
    """Queues that are served, and still have jobs that wait for long."""
    paused = {switch.queue for switch in scene.switches}
    for queue, lines in _by_queue(scene).items():
        since = _oldest(lines)
        served = any(worker.serves(queue) for worker in scene.takers)
        if queue not in paused and served and since and scene.now - since > LONG:
            yield Incident(
                kind="old",
                severity=Severity.WARNING,
                sentence=f"the job that stands first in queue {queue}"
                f" has waited for {_span(scene, since)}",
                about=About("queue", queue),
                since=since,
            )


def _busy(scene: Scene) -> Iterator[Incident]:
    slots = sum(worker.slots for worker in scene.takers)
    jobs = sum(line.jobs for line in scene.waiting)
    if not slots or not jobs or any(worker.running < worker.slots for worker in scene.takers):
        return
    every = "the only slot is" if slots == 1 else f"all {slots:,} slots are"
    yield Incident(
        kind="busy",
        severity=Severity.INFO,
        sentence=f"{every} busy, and {_jobs(jobs)}",
        about=About("fleet", ""),
        since=_oldest(scene.waiting),
    )


def _workers(scene: Scene) -> Iterator[Incident]:
    for worker in scene.workers:
        about = About("worker", worker.id)
        if not worker.alive:
            yield from _lost(scene, worker, about)
        elif _is_late(scene, worker):
            yield Incident(
                kind="worker-late",
                severity=Severity.WARNING,
                sentence=f"{worker} has not been heard of for {_span(scene, worker.renewed_at)}",
                about=about,
                since=worker.renewed_at,
            )
        elif worker.drain_at is not None:
            left = f"{worker.running:,} left" if worker.running else "nothing left to do"
            yield Incident(
                kind="draining",
                severity=Severity.INFO,
                sentence=f"{worker} is draining, told so by {worker.drain_by}: {left}",
                about=about,
                since=worker.drain_at,
            )


def _lost(scene: Scene, worker: Hand, about: About) -> Iterator[Incident]:
    ago = _span(scene, worker.renewed_at)
    if worker.running:
        yield Incident(
            kind="worker-lost",
            severity=Severity.CRITICAL,
            sentence=f"{worker} was last heard of {ago} ago and holds {worker.running:,}"
            " running: to be reclaimed",
            about=about,
            since=worker.renewed_at,
        )
    elif scene.now - worker.lease_until < NEWS:
        yield Incident(
            kind="worker-lost",
            severity=Severity.INFO,
            sentence=f"{worker} ended without leaving {ago} ago; what it held was reclaimed",
            about=about,
            since=worker.renewed_at,
        )


def _dead(scene: Scene) -> Iterator[Incident]:
    if scene.dead < MANY_DEAD or scene.dead < DEAD_SHARE * scene.ended:
        return
    yield Incident(
        kind="dead-letters",
        severity=Severity.WARNING,
        sentence=f"{scene.dead:,.0f} jobs failed for good in the last 5 min,"
        f" {scene.dead / max(scene.ended, scene.dead):.0%} of those that ended",
        about=About("dead", ""),
        since=scene.now - timedelta(minutes=5),
    )


def _redis(scene: Scene) -> Iterator[Incident]:
    if scene.redis_lost_at is not None:
        yield Incident(
            kind="redis-away",
            severity=Severity.WARNING,
            sentence=f"Redis has not answered for {_span(scene, scene.redis_lost_at)};"
            " everything goes on without it, only slower",
            about=About("redis", ""),
            since=scene.redis_lost_at,
        )


def _is_late(scene: Scene, worker: Hand) -> bool:
    lease = worker.lease_until - worker.renewed_at
    return scene.now - worker.renewed_at > LATE * lease


def _live(scene: Scene) -> bool:
    return any(worker.alive and not worker.alone for worker in scene.workers)


def _by_queue(scene: Scene) -> dict[str, list[Waiting]]:
    queues: dict[str, list[Waiting]] = {}
    for line in scene.waiting:
        queues.setdefault(line.queue, []).append(line)
    return queues


def _since(scene: Scene, lines: Sequence[Waiting], served: Sequence[Hand]) -> datetime | None:
    """Since when jobs wait in vain: since they are due, or since the last who served them ended."""
    ends = [min(worker.lease_until, scene.now) for worker in served if not worker.alive]
    ends += [worker.drain_at for worker in served if worker.alive and worker.drain_at is not None]
    oldest = _oldest(lines)
    return max([*ends, oldest]) if oldest else None


def _oldest(lines: Sequence[Waiting]) -> datetime | None:
    return min((line.oldest_at for line in lines if line.oldest_at), default=None)


def _jobs(count: int) -> str:
    return "1 job waits" if count == 1 else f"{count:,} jobs wait"


def _for(scene: Scene, since: datetime | None) -> str:
    return f" for {_span(scene, since)}" if since else ""


def _span(scene: Scene, since: datetime) -> str:
    return in_words(max((scene.now - since).total_seconds(), 0.0))
