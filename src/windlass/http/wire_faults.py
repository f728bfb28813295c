"""The JSON about failures that are alike that goes out."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from windlass.core.faults import Group as Found
from windlass.store.faults import Dead as FoundDead
from windlass.store.faults import Failures as FoundFailures
from windlass.wire.jobs import Instant

BackTo = Annotated[
    Instant | None,
    Meta(description="Said if it stopped early: what was created before was not looked at."),
]


class Group(msgspec.Struct, kw_only=True):
    """Failures of one type of job with errors that are alike."""

    type: str
    fingerprint: Annotated[str, Meta(description="The same for all errors that are alike.")]
    error: Annotated[str | None, Meta(description="The newest; its first thousand characters.")]
    count: int
    first_at: Instant
    last_at: Instant
    queues: Annotated[list[str], Meta(description="At most twenty.")]
    sample: Annotated[str, Meta(description="The job that failed last.")]
    q: Annotated[str, Meta(description="The search that finds these jobs.")]


class Failures(msgspec.Struct, kw_only=True):
    """Attempts that failed lately, the largest groups first."""

    window: str
    groups: list[Group]
    looked_at: Annotated[int, Meta(description="How many attempts were looked at.")]
    looked_back_to: BackTo


class Dead(msgspec.Struct, kw_only=True):
    """Jobs that failed for good, the largest groups first."""

    total: Annotated[int, Meta(description="How many dead letters there are.")]
    groups: list[Group]
    looked_at: Annotated[int, Meta(description="How many of them were looked at.")]
    looked_back_to: BackTo


def dead(found: FoundDead) -> Dead:
    """Dead letters as they go out."""
    return Dead(
        total=found.total,
        groups=[_group(one, f"status:failed {one.query}") for one in found.groups],
        looked_at=found.looked_at,
        looked_back_to=found.looked_back_to,
    )


def failures(window: str, found: FoundFailures) -> Failures:
    """Failed attempts as they go out."""
    return Failures(
        window=window,
        groups=[_group(one, one.query) for one in found.groups],
        looked_at=found.looked_at,
        looked_back_to=found.looked_back_to,
    )


def _group(found: Found, query: str) -> Group:
    return Group(
        type=found.type,
        fingerprint=found.fingerprint,
        error=found.error,
        count=found.count,
        first_at=found.first_at,
        last_at=found.last_at,
        queues=found.queues,
        sample=found.sample,
        q=query,
    )
