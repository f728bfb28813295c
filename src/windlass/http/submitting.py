"""A job as it was asked for over HTTP, made into one to keep."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, cast

from windlass.core.backoff import Backoff
from windlass.core.errors import BadInput
from windlass.wire import jobs as shapes
from windlass.wire.jobs import Options as Asked

if TYPE_CHECKING:
    from windlass.app.options import Options


# What can be said of one job, by the name of the field; the options call one of them otherwise.
SAID = Asked.__struct_fields__
OTHERWISE = {"scheduled_at": "run_at"}
of_one = attrgetter(*SAID)


def options(asked: Asked, header_key: str | None = None) -> Options:
    """What was said about this one job; what was left out is as its type has it."""
    values = of_one(asked)
    if header_key is None and not any(value is not None for value in values):
        return {}
    said = {
        OTHERWISE.get(name, name): value
        for name, value in zip(SAID, values, strict=True)
        if value is not None
    }
    if asked.max_retries is not None:
        said["max_attempts"] = _max_attempts(said.pop("max_retries"), asked.max_attempts)
    if asked.backoff is not None:
        said["backoff"] = _backoff(asked.backoff)
    if header_key is not None:
        said["idempotency_key"] = _key(header_key, asked.idempotency_key)
    return cast("Options", said)


def _max_attempts(max_retries: int, max_attempts: int | None) -> int:
    if max_attempts is not None:
        raise BadInput("max_retries is another name for max_attempts; give one of them")
    return max_retries


def _backoff(asked: shapes.Backoff) -> Backoff:
    return Backoff(base=asked.base, factor=asked.factor, cap=asked.cap)


def _key(header: str, body: str | None) -> str:
    if body not in (None, header):
        raise BadInput("the header Idempotency-Key and idempotency_key differ; give one of them")
    return header
