"""Failures of the same kind: jobs of one type whose errors are alike."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from msgspec import Struct, field

from windlass.core.fingerprint import fingerprint
from windlass.core.job import JobId

# What needs no quotes in a query.
PLAIN = re.compile(r"[\w.\-]+")
MOST_QUEUES = 20


class Fault(NamedTuple):
    """One job, or one attempt of it, that failed."""

    job: JobId
    type: str
    queue: str
    error: str | None
    at: datetime


class Group(Struct, kw_only=True):
    """All that failed alike; `sample` and `error` are of the one that failed last."""

    type: str
    fingerprint: str
    sample: JobId
    error: str | None
    first_at: datetime
    last_at: datetime
    count: int = 0
    queues: list[str] = field(default_factory=list)

    def add(self, fault: Fault) -> None:
        """Count one more."""
        self.count += 1
        self.first_at = min(self.first_at, fault.at)
        if fault.at > self.last_at:
            self.last_at, self.sample, self.error = fault.at, fault.job, fault.error
        if fault.queue not in self.queues and len(self.queues) < MOST_QUEUES:
            self.queues.append(fault.queue)

    @property
    def query(self) -> str:
        """The words that find these jobs."""
        type_ = self.type if PLAIN.fullmatch(self.type) else json.dumps(self.type)
        return f"type:{type_} fingerprint:{self.fingerprint}"


class Groups:
    """Faults by their kind."""

    def __init__(self) -> None:
        """Know none yet."""
        self._groups: dict[tuple[str, str], Group] = {}

    def add(self, faults: Iterable[Fault]) -> None:
        """Count these."""
        for fault in faults:
            key = fault.type, fingerprint(fault.error)
            if key not in self._groups:
                self._groups[key] = Group(
                    type=fault.type,
                    fingerprint=key[1],
                    sample=fault.job,
                    error=fault.error,
                    first_at=fault.at,
                    last_at=fault.at,
                )
            self._groups[key].add(fault)

    def largest(self, most: int) -> list[Group]:
        """The groups with the most faults, those first."""
        return sorted(self._groups.values(), key=lambda group: -group.count)[:most]
