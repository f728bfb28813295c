"""Which jobs are wanted, as callers name them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, TypedDict

from msgspec.structs import replace

from windlass.core import fingerprint, limits
from windlass.core.errors import BadInput
from windlass.core.job import JobId, State
from windlass.core.search import JobFilter, Scalar, parse, payload_path, payload_scalar


class Which(TypedDict, total=False):
    """Which jobs to list; `before` is the `next` of the page before.

    `query` says the same in words, as `status:failed type:email`; docs/jobs.md lists the words.
    """

    query: str
    status: State | str | Iterable[State | str]
    type: str
    queue: str
    name: str
    key: str
    created_after: datetime
    created_before: datetime
    error: str
    fingerprint: str
    payload: Mapping[str, Scalar]
    before: JobId | str
    limit: int


def filter_of(which: Which, now: datetime) -> JobFilter:
    """The filter that these words ask for; what is named besides a query wins over it."""
    unknown = which.keys() - Which.__optional_keys__
    if unknown:
        known = ", ".join(sorted(Which.__optional_keys__))
        raise BadInput(f"jobs cannot be listed by {min(unknown)!r}, but by {known}")
    asked = parse(which.get("query", ""), now)
    named = [(*CHECKED[name], value) for name, value in which.items() if name in CHECKED]
    return replace(asked, **{field: check(value) for field, check, value in named})


def _states(status: Any) -> frozenset[State]:
    return frozenset(map(limits.state, [status] if isinstance(status, str) else status))


def _payload(wanted: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
    return {".".join(payload_path(path)): payload_scalar(value) for path, value in wanted.items()}


# Which field of the filter a word sets, and who checks it.
CHECKED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "status": ("states", _states),
    "type": ("type", limits.type_name),
    "queue": ("queue", limits.queue),
    "name": ("name", limits.job_name),
    "key": ("key", limits.key),
    "created_after": ("created_after", limits.moment),
    "created_before": ("created_before", limits.moment),
    "error": ("error", limits.part),
    "fingerprint": ("fingerprint", fingerprint.written),
    "payload": ("payload", _payload),
    "before": ("before", limits.job_id),
    "limit": ("limit", limits.page),
}
