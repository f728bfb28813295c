"""A job as it was asked for over HTTP, made into one to keep."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, cast

from windlass.core.backoff import Backoff
from windlass.core.errors import BadInput
from windlass.http.wire import Submission

if TYPE_CHECKING:
    from windlass.app.options import Options


def options(asked: Submission, header_key: str | None = None) -> Options:
    """What was said about this one job; what was left out is as its type has it."""
    said = {
        "name": asked.name,
        "queue": asked.queue,
        "priority": asked.priority,
        "thread_demand": asked.thread_demand,
        "run_at": asked.scheduled_at,
        "delay": asked.delay,
        "max_attempts": _max_attempts(asked),
        "max_crashes": asked.max_crashes,
        "timeout": asked.timeout,
        "backoff": _backoff(asked),
        "idempotency_key": _key(asked, header_key),
        "key_window": None if asked.key_window is None else timedelta(seconds=asked.key_window),
    }
    return cast("Options", {name: value for name, value in said.items() if value is not None})


def _max_attempts(asked: Submission) -> int | None:
    if asked.max_retries is None:
        return asked.max_attempts
    if asked.max_attempts is not None:
        raise BadInput("max_retries is another name for max_attempts; give one of them")
    return asked.max_retries


def _backoff(asked: Submission) -> Backoff | None:
    if asked.backoff is None:
        return None
    return Backoff(base=asked.backoff.base, factor=asked.backoff.factor, cap=asked.backoff.cap)


def _key(asked: Submission, header_key: str | None) -> str | None:
    if header_key is None:
        return asked.idempotency_key
    if asked.idempotency_key in (None, header_key):
        return header_key
    raise BadInput("the header Idempotency-Key and idempotency_key differ; give one of them")
