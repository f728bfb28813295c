"""What `--json` prints: the values of the app, with times in UTC and spans in seconds."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict

if TYPE_CHECKING:
    from windlass.app import Job

SPANS = ("queue_time", "execution_time", "total_time")


def text(value: object) -> str:
    """The value as JSON that is pleasant to read, too."""
    return json.dumps(value, default=plain, ensure_ascii=False, indent=2)


def plain(value: object) -> Any:
    """What JSON has no word for, as something it has."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Struct):
        return asdict(value)
    raise TypeError(f"nothing says how to write a {type(value).__name__} as JSON")


def job(one: Job) -> dict[str, Any]:
    """A job with the times it took."""
    return {**plain(one), **{name: getattr(one, name) for name in SPANS}}
