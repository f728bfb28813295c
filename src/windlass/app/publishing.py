"""What a worker tells the fleet of the types of job it knows."""

from __future__ import annotations

import msgspec

from windlass.executors.base import Executor, Registry
from windlass.store.records import TypeRecord


def published(registry: Registry) -> list[TypeRecord]:
    """Every type with its defaults and the shape of its payload."""
    return [_record(registry.get(type_)) for type_ in registry.types()]


def _record(executor: Executor) -> TypeRecord:
    return TypeRecord(
        type=executor.type,
        queue=executor.queue,
        priority=executor.priority,
        threads=executor.threads,
        max_attempts=executor.max_attempts,
        max_crashes=executor.max_crashes,
        timeout=executor.timeout,
        mode=executor.mode.value,
        description=executor.description,
        schema=_schema(executor),
    )


def _schema(executor: Executor) -> str:
    try:
        schema = executor.schema()
    except TypeError:
        # A shape of the user's own that JSON Schema has no words for: the worker checks it.
        schema = {}
    return msgspec.json.encode(schema, order="deterministic").decode()
