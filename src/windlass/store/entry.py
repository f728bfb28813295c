"""What is kept in Redis about a job or an idempotency key, as bytes."""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import NamedTuple

import msgspec

from windlass.core.job import Job, JobId, State

# Who put it there: new each time, so that whoever saw one knows whether it is still the same.
TAG = 16
# In which era: what is of an earlier one counts for nothing.
ERA = 16
# After those: what it is, which state the job is in, and when it ends, in ms of Redis's time.
HEAD = struct.Struct(">BBQ")
BODY = TAG + ERA + HEAD.size
PRINT = 32
# Where a kept key names its job, as Redis counts: from one.
NAMED_AT = BODY + PRINT + 1

STATES = tuple(State)
NUMBERS = {state: number for number, state in enumerate(STATES)}

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Job).decode


class Kind(IntEnum):
    """What an entry is."""

    LEASE = 0  # somebody is reading the row
    MARK = 1  # somebody is about to change it
    JOB = 2
    STATE = 3  # of the job, and nothing else
    KEY = 4  # the fingerprint of a request, and the job that it made


class Entry(NamedTuple):
    """An entry as it was found."""

    tag: bytes
    kind: int
    state: State
    ends: int
    body: bytes

    def job(self) -> Job:
        """The job that is kept here."""
        return _decode(self.body)

    def holder(self, fingerprint: bytes) -> JobId | None:
        """The job that has this key, if it was the same request."""
        if self.kind != Kind.KEY or self.body[:PRINT] != fingerprint:
            return None
        return JobId(self.body[PRINT:].decode())


def read(value: bytes) -> Entry:
    """What these bytes say."""
    kind, number, ends = HEAD.unpack_from(value, TAG + ERA)
    return Entry(value[:TAG], kind, STATES[number], ends, value[BODY:])


def of_job(stamp: bytes, ends: int, job: Job) -> bytes:
    """An entry that holds a whole job; its stamp is tag and era."""
    return stamp + HEAD.pack(Kind.JOB, NUMBERS[job.state], ends) + _encode(job)


def of_state(stamp: bytes, ends: int, state: State) -> bytes:
    """An entry that holds the state of a job."""
    return stamp + HEAD.pack(Kind.STATE, NUMBERS[state], ends)


def of_key(stamp: bytes, ends: int, fingerprint: bytes, job: JobId) -> bytes:
    """An entry that holds who has a key."""
    return stamp + HEAD.pack(Kind.KEY, 0, ends) + fingerprint + job.encode()


# What follows the stamp of a lease.
LEASE = HEAD.pack(Kind.LEASE, 0, 0)


def mark(tag: bytes) -> bytes:
    """A mark, which is good in any era."""
    return tag + bytes(ERA) + HEAD.pack(Kind.MARK, 0, 0)
