"""A job as its users see it."""

from __future__ import annotations

from typing import Any

import msgspec

from windlass.core.job import Job as StoredJob


class Job(StoredJob, frozen=True, kw_only=True):
    """A job as stored, with payload and result as values instead of JSON text."""

    payload: Any
    result: Any


FIELDS = StoredJob.__struct_fields__


def view(stored: StoredJob) -> Job:
    """The stored job as its users see it."""
    values = {name: getattr(stored, name) for name in FIELDS}
    values["payload"] = msgspec.json.decode(stored.payload)
    if stored.result is not None:
        values["result"] = msgspec.json.decode(stored.result)
    return Job(**values)
