"""Everything worth telling, one class per event; one event per batch, never one per job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

import msgspec

from windlass.core.job import JobId, Lane, NodeId, State, WorkerId


class Connected(msgspec.Struct, frozen=True):
    """The store answered for the first time. `store` never carries a password."""

    store: str


class Advised(msgspec.Struct, frozen=True):
    """Something is set in a way that works but does no good."""

    advice: str


class ExecutorBroken(msgspec.Struct, frozen=True):
    """An installed package should bring a type of job and does not; nobody else is harmed.

    Without a type, the package does not even say which ones it brings.
    """

    type: str | None
    package: str
    why: str


class NodeJoined(msgspec.Struct, frozen=True):
    """A node is known to the fleet and holds a lease."""

    node: NodeId
    host: str
    pid: int


class NodeForgotten(msgspec.Struct, frozen=True):
    """The fleet no longer knows the node: its claims are gone, and it starts anew."""

    node: NodeId


class NodeLeft(msgspec.Struct, frozen=True):
    """A node gave up its lease on purpose; the last thing it does."""

    node: NodeId


class LeaseRenewed(msgspec.Struct, frozen=True):
    """The lease was extended; `took` seconds from sending to the answer."""

    node: NodeId
    took: float


class LeaseLost(msgspec.Struct, frozen=True):
    """The lease can no longer be trusted: nothing may start until a renewal succeeds."""

    node: NodeId


class WorkerStarted(msgspec.Struct, frozen=True):
    """A worker is enlisted and begins to claim."""

    worker: WorkerId
    pid: int
    slots: int
    threads: int
    alone: bool


class WorkerDraining(msgspec.Struct, frozen=True):
    """A worker was told to stop, and waits for so many attempts, so many seconds at most."""

    worker: WorkerId
    running: int
    within: float


class WorkerStopped(msgspec.Struct, frozen=True):
    """A worker settled or handed back all it held, and ended."""

    worker: WorkerId


class WorkerDied(msgspec.Struct, frozen=True):
    """A worker's process ended otherwise: a negative code is the signal that killed it.

    One that ended before it was a worker has no name yet.
    """

    worker: WorkerId | None
    pid: int
    code: int


class WorkerKilled(msgspec.Struct, frozen=True):
    """A worker's process did not end in the time it had, and was killed; its jobs run again."""

    worker: WorkerId | None
    pid: int


class Occupancy(msgspec.Struct, frozen=True):
    """How full a worker is."""

    worker: WorkerId
    running: int
    slots: int


class JobsEnqueued(msgspec.Struct, frozen=True):
    """One transaction kept so many jobs, of so many callers who asked at the same time."""

    count: int
    callers: int
    took: float


class JobsClaimed(msgspec.Struct, frozen=True):
    """One claim statement took this many jobs."""

    worker: WorkerId
    lane: Lane
    count: int
    took: float


class AttemptsSettled(msgspec.Struct, frozen=True):
    """One batch of settlements was applied: how many jobs came to which state."""

    worker: WorkerId
    counts: Mapping[State, int]
    took: float


class AttemptFailed(msgspec.Struct, frozen=True):
    """One attempt raised. Told one by one: whoever reads the log needs the job and the cause."""

    worker: WorkerId
    job: JobId
    type: str
    attempt: int
    error: str


class ClaimsLost(msgspec.Struct, frozen=True):
    """Settlements were refused: these jobs were taken from the worker, and run elsewhere."""

    worker: WorkerId
    jobs: Sequence[JobId]


class JobsHandedBack(msgspec.Struct, frozen=True):
    """Jobs were given up unfinished and uncharged."""

    worker: WorkerId
    jobs: Sequence[JobId]


class JobsReclaimed(msgspec.Struct, frozen=True):
    """Running jobs that nobody ran any more were settled; so many had ended, and only that."""

    count: int
    ended: int = 0


class JobsPromoted(msgspec.Struct, frozen=True):
    """Scheduled jobs came due."""

    count: int


class JobsParked(msgspec.Struct, frozen=True):
    """Jobs that nobody may take were moved out of the way."""

    count: int


class JobsUnparked(msgspec.Struct, frozen=True):
    """Parked jobs are back in line."""

    count: int


class RollupsFolded(msgspec.Struct, frozen=True):
    """Old rollups were merged into coarser ones."""

    count: int


class JobsPruned(msgspec.Struct, frozen=True):
    """Finished jobs past their retention were deleted."""

    count: int


class ChoreFailed(msgspec.Struct, frozen=True):
    """One turn of a repeated task raised; it will be tried again. `away`: the store was away."""

    chore: str
    error: str
    away: bool = False


class BellRung(msgspec.Struct, frozen=True):
    """A hint was sent out."""

    queues: Sequence[str]


class BellHeard(msgspec.Struct, frozen=True):
    """A hint came in."""

    queues: Sequence[str]


class BellLost(msgspec.Struct, frozen=True):
    """Hints cannot be sent or heard for now; polling goes on."""

    error: str


class RedisLost(msgspec.Struct, frozen=True):
    """Redis does not answer: it is done without, and looked for from time to time."""

    error: str


class RedisFound(msgspec.Struct, frozen=True):
    """Redis answers again, after it was lost for so many seconds."""

    after: float


class RedisRefused(msgspec.Struct, frozen=True):
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


class RequestBroke(msgspec.Struct, frozen=True):
    """Something that nobody foresaw was raised while a request was answered."""

    request_id: str
    method: str
    path: str
    error: str


class ApiListening(msgspec.Struct, frozen=True):
    """Requests are taken at this address."""

    url: str
    pid: int


class ApiStopped(msgspec.Struct, frozen=True):
    """Every request that was taken has been answered; `cut` counts those that took too long."""

    cut: int


class ServerFailed(msgspec.Struct, frozen=True):
    """The HTTP server itself could not go on with a request."""

    error: str


class ProcessDied(msgspec.Struct, frozen=True):
    """A process of ours ended unasked, and is started again; a negative code is a signal."""

    what: str
    pid: int
    code: int


class ShutdownAsked(msgspec.Struct, frozen=True):
    """A signal asked the node to stop; `drain` is false when it asked again."""

    signal: str
    drain: bool


class ShutdownComplete(msgspec.Struct, frozen=True):
    """Everything has ended. `killed` counts workers and requests that did not end by themselves."""

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
    | WorkerDraining
    | WorkerStopped
    | WorkerDied
    | WorkerKilled
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
        self._observers: Sequence[Observer] = observers

    def __bool__(self) -> bool:
        """Whether there is anybody to tell."""
        return bool(self._observers)

    def on(self, event: Event) -> None:
        """Tell everyone, in order."""
        for observer in self._observers:
            observer.on(event)
