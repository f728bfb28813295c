"""Which jobs are wanted: as a value, and in the words that people write for it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple, TypeAlias, cast
from uuid import UUID

from msgspec import Struct, field
from msgspec.structs import replace

from windlass.core import fingerprint, limits
from windlass.core.duration import parse_duration
from windlass.core.errors import BadInput, BadQuery
from windlass.core.job import JobId, State

Scalar: TypeAlias = str | int | float | bool | None

PAYLOAD = "payload"
FIELDS = (
    *("status", "type", "queue", "name", "key", "error", "fingerprint", "age", "created"),
    "payload.FIELD",
)

# A word is field:value or a bare value; what stands between quotes may have blanks.
WORD = re.compile(r'(?:([A-Za-z_][\w.\-]*):)?("(?:[^"\\]|\\.)*"|[^\s"]+)(?=\s|$)')
BLANKS = re.compile(r"\s*")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
LONGEST = 2_000
# A number in a path means a name or a place, so that each one doubles where must be looked.
MOST_PARTS, MOST_NUMBERS = 32, 4
MOST_FIELDS = 10


class JobFilter(Struct, frozen=True, kw_only=True):
    """Which jobs to list, newest first. `before` is the last id of the page before.

    A job was created when its id was made: ids carry their time, and lists go by ids.
    """

    states: frozenset[State] = frozenset()
    type: str | None = None
    queue: str | None = None
    name: str | None = None
    key: str | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    finished_before: datetime | None = None  # if it is finished at all
    error: str | None = None  # a part of it; a to z are like A to Z
    fingerprint: str | None = None  # of the error: what all that are alike have in common
    payload: Mapping[str, Scalar] = field(default_factory=dict)  # by path, as user.id
    before: JobId | None = None
    limit: int = 50

    @property
    def searches(self) -> bool:
        """Whether rows must be looked at one by one, since no index knows the answer."""
        asked = (self.name, self.key, self.error, self.fingerprint)
        return any((*asked, self.payload, self.finished_before))


class Word(NamedTuple):
    """One word of a query, and where it stands, counted from 1."""

    position: int
    field: str | None
    value: str
    quoted: bool


def parse(text: str, now: datetime) -> JobFilter:
    """Read `status:failed type:email payload.user.id:42 error:"timed out" age:<2h`.

    Each word narrows the answer down further. Bare words together are a part of the error.
    """
    if len(text) > LONGEST:
        raise BadQuery(LONGEST, f"a query has at most {LONGEST:,} characters")
    which, bare = JobFilter(), []
    for word in _words(text):
        if word.field is None:
            bare.append(word)
        else:
            which = _narrowed(which, word, now)
    if not bare:
        return which
    error = bare[0]._replace(field="error", value=" ".join(word.value for word in bare))
    return _narrowed(which, error, now)


def payload_path(path: str) -> tuple[str, ...]:
    """The parts of a path into a payload such as `user.id`; in a list, numbers count from 0."""
    parts = tuple(path.split("."))
    for part in parts:
        if not part or '"' in part or not part.isprintable() or re.fullmatch(r"-\d+", part):
            raise BadInput(f"{path!r} leads nowhere in a payload; write it like user.id")
    if len(parts) > MOST_PARTS or sum(map(is_number, parts)) > MOST_NUMBERS:
        raise BadInput(
            f"a path into a payload has at most {MOST_PARTS} parts, {MOST_NUMBERS} of them numbers"
        )
    return parts


def is_number(part: str) -> bool:
    """Whether a part of a path may be a place in a list."""
    return part.isascii() and part.isdigit()


def payload_scalar(value: object) -> Scalar:
    """What can be looked for in a payload: text, a number, true, false or null."""
    if isinstance(value, str):
        return limits.part(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise BadInput(f"{value!r} cannot be looked for in a payload; text, numbers, true, null can")


def first_id(moment: datetime) -> JobId:
    """The least id that can be made at this moment: a UUIDv7 begins with its time in ms."""
    milliseconds = (moment - EPOCH) // timedelta(milliseconds=1)
    return JobId(str(UUID(int=min(max(milliseconds, 0), 2**48 - 1) << 80)))


def made_at(job_id: JobId) -> datetime:
    """When the id was made, by the clock of whoever made it."""
    return EPOCH + timedelta(milliseconds=UUID(job_id).int >> 80)


def _words(text: str) -> Iterator[Word]:
    place = _next(text, 0)
    while place < len(text):
        match = WORD.match(text, place)
        if match is None:
            raise _unreadable(text, place)
        name, value = match.groups()
        if name is None and value.endswith(":") and _known(value[:-1]):
            raise BadQuery(place + 1, f"{value} has no value; write {value}something")
        quoted = value.startswith('"')
        yield Word(place + 1, name, _unquoted(value, place) if quoted else value, quoted)
        place = _next(text, match.end())


def _next(text: str, place: int) -> int:
    blanks = BLANKS.match(text, place)
    return blanks.end() if blanks else place


def _unreadable(text: str, place: int) -> BadQuery:
    word = text[place:].split(maxsplit=1)[0]
    if word.count('"') % 2:
        return BadQuery(place + 1, f"the quote in {word} has no end")
    return BadQuery(place + 1, f'{word} cannot be read; write field:value or field:"two words"')


def _unquoted(value: str, place: int) -> str:
    try:
        return str(json.loads(value))
    except ValueError:
        raise BadQuery(place + 1, f"{value} is quoted badly; escape as JSON does") from None


def _narrowed(which: JobFilter, word: Word, now: datetime) -> JobFilter:
    try:
        return _reader(word)(which, word, now)
    except BadQuery:
        raise
    except BadInput as problem:
        raise BadQuery(word.position, str(problem)) from None


def _known(name: str) -> bool:
    return name in READERS or name.startswith(f"{PAYLOAD}.")


def _reader(word: Word) -> Reader:
    name = word.field or ""
    if _known(name):
        return READERS.get(name, _payload)
    known = ", ".join(FIELDS)
    raise BadQuery(
        word.position, f"no field {name!r}; fields: {known}; to look for a text, quote it"
    )


def _status(which: JobFilter, word: Word, _now: datetime) -> JobFilter:
    states = frozenset(limits.state(part) for part in word.value.split(","))
    return _once(which, word, "states", states)


def _type(which: JobFilter, word: Word, _now: datetime) -> JobFilter:
    return _once(which, word, "type", limits.type_name(word.value))


def _queue(which: JobFilter, word: Word, _now: datetime) -> JobFilter:
    return _once(which, word, "queue", limits.queue(word.value))


def _name(which: JobFilter, word: Word, _now: datetime) -> JobFilter:
    return _once(which, word, "name", limits.job_name(word.value))


def _key(which: JobFilter, word: Word, _now: datetime) -> JobFilter:
    return _once(which, word, "key", limits.key(word.value))


def _error(which: JobFilter, word: Word, _now: datetime) -> JobFilter:
    return _once(which, word, "error", limits.part(word.value))


def _fingerprint(which: JobFilter, word: Word, _now: datetime) -> JobFilter:
    return _once(which, word, "fingerprint", fingerprint.written(word.value))


def _payload(which: JobFilter, word: Word, _now: datetime) -> JobFilter:
    path = (word.field or "").removeprefix(f"{PAYLOAD}.")
    payload_path(path)
    if path in which.payload:
        raise BadQuery(word.position, f"{word.field} is there twice")
    if len(which.payload) == MOST_FIELDS:
        raise BadQuery(word.position, f"a query asks for at most {MOST_FIELDS} fields of a payload")
    return replace(which, payload={**which.payload, path: payload_scalar(_scalar(word))})


def _age(which: JobFilter, word: Word, now: datetime) -> JobFilter:
    sign, age = word.value[:1], word.value[1:]
    if sign not in ("<", ">"):
        raise BadQuery(word.position, "age is compared: age:>10m (older) or age:<2h (younger)")
    name = "created_before" if sign == ">" else "created_after"
    return _once(which, word, name, now - parse_duration(age))


def _created(which: JobFilter, word: Word, _now: datetime) -> JobFilter:
    sign, written = word.value[:1], word.value[1:]
    if sign == ">":
        return _once(which, word, "created_after", _instant(word, written))
    if sign == "<":
        return _once(which, word, "created_before", _instant(word, written))
    if not DAY.fullmatch(word.value):
        raise BadQuery(word.position, "created is a day, or compared: created:>2026-11-01T09:30")
    day = _instant(word, word.value)
    since = _once(which, word, "created_after", day)
    if day.date() == date.max:
        return since  # after the last day there is none
    return _once(since, word, "created_before", day + timedelta(days=1))


def _instant(word: Word, written: str) -> datetime:
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        problem = f"{written!r} is no time; write 2026-11-01 or 2026-11-01T09:30:00+01:00"
        raise BadQuery(word.position, problem) from None
    return moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)


def _scalar(word: Word) -> Scalar:
    """42, true and null are what they are in JSON; everything else is text, as is "42"."""
    if word.quoted:
        return word.value
    try:
        value = json.loads(word.value)
        payload_scalar(value)
    except ValueError:
        return word.value
    return cast("Scalar", value)


def _once(which: JobFilter, word: Word, name: str, value: Any) -> JobFilter:
    if getattr(which, name):
        raise BadQuery(word.position, f"{word.field or name} is there twice")
    return replace(which, **{name: value})


Reader: TypeAlias = Callable[[JobFilter, Word, datetime], JobFilter]
READERS: dict[str, Reader] = {
    "status": _status,
    "type": _type,
    "queue": _queue,
    "name": _name,
    "key": _key,
    "error": _error,
    "fingerprint": _fingerprint,
    "age": _age,
    "created": _created,
}
