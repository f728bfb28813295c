"""Everything worth telling, one class per event; one event per batch, never one per job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import msgspec

from windlass.core.job import JobId, Lane, NodeId, State, WorkerId


@dataclass(frozen=True, slots=True)
class Connected:
    """The store answered for the first time. `store` never carries a password."""

    store: str


@dataclass(frozen=True, slots=True)
class Advised:
    """Something is set in a way that works but does no good."""

    advice: str


@dataclass(frozen=True, slots=True)
class ExecutorBroken:
    """An installed package should bring a type of job and does not; nobody else is harmed.

    Without a type, the package does not even say which ones it brings.
    """

    type: str | None
    package: str
    why: str


@dataclass(frozen=True, slots=True)
class NodeJoined:
    """A node is known to the fleet and holds a lease."""

    node: NodeId
    host: str
    pid: int


@dataclass(frozen=True, slots=True)
class NodeForgotten:
    """The fleet no longer knows the node: its claims are gone, and it starts anew."""

    node: NodeId


@dataclass(frozen=True, slots=True)
class NodeLeft:
    """A node gave up its lease on purpose; the last thing it does."""

    node: NodeId


@dataclass(frozen=True, slots=True)
class LeaseRenewed:
    """The lease was extended; `took` seconds from sending to the answer."""

    node: NodeId
    took: float


@dataclass(frozen=True, slots=True)
class LeaseLost:
    """The lease can no longer be trusted: nothing may start until a renewal succeeds."""

    node: NodeId


@dataclass(frozen=True, slots=True)
class WorkerStarted:
    """A worker is enlisted and begins to claim."""

    worker: WorkerId
    pid: int
    slots: int
    threads: int
    alone: bool


@dataclass(frozen=True, slots=True)
class WorkerStopped:
    """A worker settled or handed back all it held, and ended."""

    worker: WorkerId


@dataclass(frozen=True, slots=True)
class WorkerDied:
    """A worker's process ended otherwise: a negative code is the signal that killed it.

    One that ended before it was a worker has no name yet.
    """

    worker: WorkerId | None
    pid: int
    code: int


@dataclass(frozen=True, slots=True)
class Occupancy:
    """How full a worker is."""

    worker: WorkerId
    running: int
    slots: int


@dataclass(frozen=True, slots=True)
class JobsEnqueued:
    """One transaction kept so many jobs, of so many callers who asked at the same time."""

    count: int
    callers: int
    took: float


@dataclass(frozen=True, slots=True)
class JobsClaimed:
    """One claim statement took this many jobs."""

    worker: WorkerId
    lane: Lane
    count: int
    took: float


@dataclass(frozen=True, slots=True)
class AttemptsSettled:
    """One batch of settlements was applied: how many jobs came to which state."""

    worker: WorkerId
    counts: Mapping[State, int]
    took: float


@dataclass(frozen=True, slots=True)
class AttemptFailed:
    """One attempt raised. Told one by one: whoever reads the log needs the job and the cause."""

    worker: WorkerId
    job: JobId
    type: str
    attempt: int
    error: str


@dataclass(frozen=True, slots=True)
class ClaimsLost:
    """Settlements were refused: these jobs were taken from the worker, and run elsewhere."""

    worker: WorkerId
    jobs: Sequence[JobId]


@dataclass(frozen=True, slots=True)
class JobsHandedBack:
    """Jobs were given up unfinished and uncharged."""

    worker: WorkerId
    jobs: Sequence[JobId]


@dataclass(frozen=True, slots=True)
class JobsReclaimed:
    """Running jobs that nobody ran any more were settled."""

    count: int


@dataclass(frozen=True, slots=True)
class JobsPromoted:
    """Scheduled jobs came due."""

    count: int


@dataclass(frozen=True, slots=True)
class JobsParked:
    """Jobs that nobody may take were moved out of the way."""

    count: int


@dataclass(frozen=True, slots=True)
class JobsUnparked:
    """Parked jobs are back in line."""

    count: int


@dataclass(frozen=True, slots=True)
class RollupsFolded:
    """Old rollups were merged into coarser ones."""

    count: int


@dataclass(frozen=True, slots=True)
class JobsPruned:
    """Finished jobs past their retention were deleted."""

    count: int


@dataclass(frozen=True, slots=True)
class ChoreFailed:
    """One turn of a repeated task raised; it will be tried again. `away`: the store was away."""

    chore: str
    error: str
    away: bool = False


@dataclass(frozen=True, slots=True)
class BellRung:
    """A hint was sent out."""

    queues: Sequence[str]


@dataclass(frozen=True, slots=True)
class BellHeard:
    """A hint came in."""

    queues: Sequence[str]


@dataclass(frozen=True, slots=True)
class BellLost:
    """Hints cannot be sent or heard for now; polling goes on."""

    error: str


@dataclass(frozen=True, slots=True)
class RedisLost:
    """Redis does not answer: it is done without, and looked for from time to time."""

    error: str


@dataclass(frozen=True, slots=True)
class RedisFound:
    """Redis answers again, after it was lost for so many seconds."""

    after: float


@dataclass(frozen=True, slots=True)
class RedisRefused:
    """Redis is there and refused a command, perhaps because it is full; it was done without."""

    error: str


class RequestServed(msgspec.Struct, frozen=True, gc=False):
    """A request was answered. Told one by one, as an access log is read, and so made quickly.

    `path` is as it was written, without the query; `sent` counts the bytes of the answer's body.
    """

    request_id: str
    method: str
    path: str
    status: int
    took: float
    sent: int
    principal: str | None
    client: str | None


@dataclass(frozen=True, slots=True)
class RequestBroke:
    """Something that nobody foresaw was raised while a request was answered."""

    request_id: str
    method: str
    path: str
    error: str


@dataclass(frozen=True, slots=True)
class ApiListening:
    """Requests are taken at this address."""

    url: str
    pid: int


@dataclass(frozen=True, slots=True)
class ApiStopped:
    """Every request that was taken has been answered; `cut` counts those that took too long."""

    cut: int


@dataclass(frozen=True, slots=True)
class ServerFailed:
    """The HTTP server itself could not go on with a request."""

    error: str


@dataclass(frozen=True, slots=True)
class ProcessDied:
    """A process of ours ended unasked, and is started again; a negative code is a signal."""

    what: str
    pid: int
    code: int


@dataclass(frozen=True, slots=True)
class ShutdownAsked:
    """A signal asked the node to stop; `drain` is false when it asked again."""

    signal: str
    drain: bool


@dataclass(frozen=True, slots=True)
class ShutdownComplete:
    """Everything has ended. `killed` counts workers that did not end by themselves."""

    killed: int


Event: TypeAlias = (
    Connected
    | Advised
    | ExecutorBroken
    | NodeJoined
    | NodeForgotten
    | NodeLeft
    | LeaseRenewed
    | LeaseLost
    | WorkerStarted
    | WorkerStopped
    | WorkerDied
    | Occupancy
    | JobsEnqueued
    | JobsClaimed
    | AttemptsSettled
    | AttemptFailed
    | ClaimsLost
    | JobsHandedBack
    | JobsReclaimed
    | JobsPromoted
    | JobsParked
    | JobsUnparked
    | RollupsFolded
    | JobsPruned
    | ChoreFailed
    | BellRung
    | BellHeard
    | BellLost
    | RedisLost
    | RedisFound
    | RedisRefused
    | RequestServed
    | RequestBroke
    | ApiListening
    | ApiStopped
    | ServerFailed
    | ProcessDied
    | ShutdownAsked
    | ShutdownComplete
)


class Observer(Protocol):
    """Is told what happens. Must be quick, and must not raise."""

    def on(self, event: Event) -> None:
        """Take note."""
        ...


class Observers:
    """Tells several observers the same; with none, tells nobody."""

    __slots__ = ("_observers",)

    def __init__(self, *observers: Observer) -> None:
        """Remember whom to tell."""
        self._observers: Iterable[Observer] = observers

    def on(self, event: Event) -> None:
        """Tell everyone, in order."""
        for observer in self._observers:
            observer.on(event)
