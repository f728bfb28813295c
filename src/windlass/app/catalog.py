"""The types of job that workers have published, for callers who do not have their code."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from windlass.clock import Clock
from windlass.core.errors import BadInput, BadPayload
from windlass.core.job import JobId, NewJob
from windlass.executors import documents
from windlass.store.records import TypeRecord

if TYPE_CHECKING:
    import jsonschema_rs

# A type that was published elsewhere is known here at most so many seconds later.
FRESH = 2.0
# What stands for a value in an error: values may be secret.
MASK = "the value"
# A pattern in a schema is somebody's program: what it may cost is bounded.
MOST_BACKTRACKS = 10_000
LARGEST_PATTERN = 1024 * 1024  # bytes when it is compiled


class Published:
    """A type of job that was published, and what makes its payloads."""

    def __init__(self, record: TypeRecord) -> None:
        """Its schema is compiled when a payload first comes along."""
        self.record = record

    def template(self) -> NewJob:
        """A job as the type would have it; only id and payload are missing."""
        record = self.record
        return NewJob(
            JobId(""),
            record.type,
            "",
            queue=record.queue,
            priority=record.priority,
            threads=record.threads,
            max_attempts=record.max_attempts,
            max_crashes=record.max_crashes,
        )

    def validate(self, payload: Any) -> str:
        """The payload's JSON text, if it fits the schema."""
        type_ = self.record.type
        text = documents.payload(type_, payload)
        wrong = next(self._schema.iter_errors(msgspec.json.decode(text)), None)
        if wrong is not None:
            raise BadPayload(type_, _told(wrong))
        return text

    @cached_property
    def _schema(self) -> jsonschema_rs.Validator:
        try:
            return _validator(self.record.schema)
        except ValueError as problem:
            raise BadInput(
                f"the schema that workers published for {self.record.type!r} cannot be used:"
                f" {problem}"
            ) from None


class Catalog:
    """What was published, read again when it is old or lacks what is asked for."""

    def __init__(self, read: Callable[[], Awaitable[list[TypeRecord]]], clock: Clock) -> None:
        """Know nothing yet."""
        self._read = read
        self._clock = clock
        self._known: Mapping[str, Published] = {}
        self._read_at: float | None = None
        self._reading = asyncio.Lock()

    async def get(self, type_: str) -> Published | None:
        """The type of this name, if anybody has published it."""
        if type_ in self._known and self._fresh():
            return self._known[type_]
        asked = self._clock.monotonic()
        async with self._reading:
            # Whoever waited here has what the one before has read.
            if self._read_at is None or self._read_at < asked:
                await self._refresh()
        return self._known.get(type_)

    def names(self) -> list[str]:
        """The types that were there at the last look."""
        return list(self._known)

    def _fresh(self) -> bool:
        return self._read_at is not None and self._clock.monotonic() - self._read_at <= FRESH

    async def _refresh(self) -> None:
        began = self._clock.monotonic()
        records = await self._read()
        self._known = {record.type: self._published(record) for record in records}
        self._read_at = began

    def _published(self, record: TypeRecord) -> Published:
        known = self._known.get(record.type)
        return known if known is not None and _alike(known.record, record) else Published(record)


def _validator(schema: str) -> jsonschema_rs.Validator:
    import jsonschema_rs  # noqa: PLC0415 — who knows all types of job needs no schema

    return jsonschema_rs.validator_for(
        msgspec.json.decode(schema),
        validate_formats=True,
        offline=True,  # a schema that points elsewhere must not make us go there
        mask=MASK,
        pattern_options=jsonschema_rs.FancyRegexOptions(
            backtrack_limit=MOST_BACKTRACKS, size_limit=LARGEST_PATTERN
        ),
    )


def _alike(one: TypeRecord, other: TypeRecord) -> bool:
    """Whether the same was published, whoever knows it by now."""
    return one == replace(other, seen_at=one.seen_at, workers=one.workers)


def _told(wrong: jsonschema_rs.ValidationError) -> str:
    """What does not fit, and where, in the words that msgspec has for it."""
    path = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in wrong.instance_path]
    return f"{wrong.message} - at `${''.join(path)}`" if path else wrong.message
