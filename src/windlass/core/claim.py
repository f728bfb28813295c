"""The right to run one attempt of a job."""

from __future__ import annotations

from typing import NamedTuple

from windlass.core.job import JobId, Lane, WorkerId


class Claim(NamedTuple):
    """One attempt of one job, granted to one worker. The fence only grows, so a stale claim shows.

    A named tuple rather than a dataclass: one is made for every job that runs.
    """

    id: JobId
    fence: int
    type: str
    queue: str
    payload: str
    priority: int
    rank: int
    lane: Lane
    threads: int
    attempts: int
    failures: int
    crashes: int
    max_attempts: int
    max_crashes: int
    policy: str | None
    worker: WorkerId
