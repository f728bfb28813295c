"""A job that is handed to a worker which stands by: how it is told that the claim is its own."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from windlass.core.claim import Claim
from windlass.core.herald import HANDED
from windlass.core.job import JobId, Lane, NewJob, WorkerId

# More than this is left for a claim to fetch: PostgreSQL refuses a message of 8,000 bytes.
MOST_BYTES = 7_000
# The job was new, so it is the first claim on it.
FIRST_FENCE = 1


class _Told(NamedTuple):
    id: str
    type: str
    queue: str
    payload: str
    priority: int
    max_attempts: int
    max_crashes: int
    policy: str | None


class Handed(NamedTuple):
    """A claim, and the number under which its worker stood by for it."""

    number: int
    claim: Claim


_decoder = msgspec.json.Decoder(_Told)


def told(job: NewJob, policy: str | None) -> str | None:
    """What a worker must be told of a job to run it; nothing if the job cannot be handed over.

    One that asks for threads has its own line to stand in.
    """
    if job.threads:
        return None
    document = msgspec.json.encode(
        _Told(
            job.id,
            job.type,
            job.queue,
            job.payload,
            job.priority,
            job.max_attempts,
            job.max_crashes,
            policy,
        )
    )
    return document.decode() if len(document) <= MOST_BYTES else None


def news(worker: WorkerId, number: int, rank: int, document: str) -> str:
    """What is said to the worker; statements of PostgreSQL say the same."""
    return f"{HANDED} {worker} {number} {rank} {document}"


def read(said: str, worker: WorkerId) -> Handed | None:
    """The claim that this worker was handed by these news; nothing if they are another's."""
    _, taker, number, rank, document = said.split(" ", 4)
    if taker != worker:
        return None
    job = _decoder.decode(document)
    claim = Claim(
        id=JobId(job.id),
        fence=FIRST_FENCE,
        type=job.type,
        queue=job.queue,
        payload=job.payload,
        priority=job.priority,
        rank=int(rank),
        lane=Lane.OPEN,
        threads=0,
        attempts=0,
        failures=0,
        crashes=0,
        max_attempts=job.max_attempts,
        max_crashes=job.max_crashes,
        policy=job.policy,
        worker=worker,
    )
    return Handed(int(number), claim)
