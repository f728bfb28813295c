"""What a worker may take on, and how long it waits for what."""

from __future__ import annotations

import os

from msgspec import Struct, field

from windlass.core.errors import BadInput


def cores() -> int:
    """How many CPU cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_threads() -> int:
    """As many threads as cores; at least 4, so that a demand of a few fits a small machine."""
    return max(4, cores())


class WorkerSettings(Struct, frozen=True, kw_only=True):
    """What one worker process may take on. Times are in seconds."""

    slots: int = 100  # attempts open at once
    threads: int = field(default_factory=default_threads)  # CPU threads it may grant
    queues: tuple[str, ...] | None = None  # None: every queue
    poll: float = 1.0  # the longest pause between two looks at an empty line
    drain: float = 30.0  # how long running attempts may go on after a stop
    patience: float = 5.0  # how long a wide job waits before threads are kept free for it
    pool_threads: int = 32  # OS threads for plain handlers
    processes: int = field(default_factory=default_threads)  # isolated processes at once
    claim_batch: int = 500
    max_held: int = 2000  # claims that wait for a free place
    alone: bool = False  # a quarantine: takes suspects only, one at a time
    takes_suspects: bool = False  # takes a suspect while nothing else runs; for embedded workers

    def __post_init__(self) -> None:
        """Refuse what no worker could work with."""
        counts = ("slots", "threads", "pool_threads", "processes", "claim_batch")
        for name in counts:
            if getattr(self, name) < 1:
                raise BadInput(f"a worker's {name} must be at least 1, not {getattr(self, name)}")
        if self.max_held < 0 or self.poll <= 0 or self.drain < 0 or self.patience < 0:
            raise BadInput("a worker's max_held, drain and patience are not negative, its poll > 0")
        if self.queues is not None and not self.queues:
            raise BadInput("a worker of no queue does nothing; name some, or leave queues out")

    @property
    def most_open(self) -> int:
        """How many claims a worker holds at most: waiting, running, or not settled yet."""
        return self.slots + 2 * max(self.max_held, self.claim_batch)
