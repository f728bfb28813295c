"""JSON documents as they are kept: payloads and results pass this gate on their way in."""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec

from windlass.core.errors import BadPayload, PayloadTooLarge

LIMIT = 1024 * 1024  # bytes
DEPTH = 64

# An even number of backslashes before it is text about an escape, not an escape.
NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


class TooLarge(ValueError):
    """The document is over the limit."""

    def __init__(self, size: int) -> None:
        """Keep the size."""
        super().__init__(f"it has {size:,} bytes, over the limit of {LIMIT:,}")
        self.size = size


def write(value: object) -> str:
    """The value as JSON text that every store keeps and every reader reads back the same.

    Raises ValueError with the reason if there is no such text.
    """
    try:
        written = _encoder.encode(value)
    except RecursionError:
        raise ValueError(f"it is nested deeper than {DEPTH} levels") from None
    except UnicodeEncodeError:
        raise ValueError("it has text with half a surrogate pair, which is no Unicode") from None
    except (TypeError, ValueError, OverflowError) as problem:
        raise ValueError(str(problem)) from None
    if len(written) > LIMIT:
        raise TooLarge(len(written))
    # From here on as text, in which to look for something takes a fifth of the time.
    text = written.decode()
    _check(text, value)
    return text


def payload(type_: str, value: object) -> str:
    """The JSON text of a payload for a job of this type; raises the reason if there is none."""
    try:
        return write(value)
    except TooLarge as problem:
        raise PayloadTooLarge(problem.size, LIMIT) from None
    except ValueError as problem:
        raise BadPayload(type_, str(problem)) from None


def read(text: str | bytes) -> Any:
    """The value of a JSON document from outside; raises ValueError with the reason."""
    if len(text) > LIMIT:
        raise TooLarge(len(text))
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise ValueError(f"it is nested deeper than {DEPTH} levels") from None
    except UnicodeError:
        raise ValueError("it is not UTF-8") from None


def to_plain(value: object) -> Any:
    """Write what msgspec cannot: models of pydantic, known by their method, not by an import."""
    dump = getattr(value, "model_dump", None)
    if dump is None:
        raise TypeError(f"{type(value).__name__} is no JSON, and nothing says how to make it so")
    return dump(mode="json")


def from_plain(type_: type[Any], value: object) -> Any:
    """Read what msgspec cannot."""
    make = getattr(type_, "model_validate", None)
    if make is None:
        raise TypeError(f"nothing says how to make a {type_.__name__} out of JSON")
    return make(value)


_encoder = msgspec.json.Encoder(enc_hook=to_plain)


def _check(text: str, value: object) -> None:
    """Refuse what one of the databases, or a reader, would refuse or change."""
    # msgspec writes NaN as null, so only a document with a null can have lost one.
    if "null" in text and _unreal(msgspec.to_builtins(value, enc_hook=to_plain)):
        raise ValueError("it has NaN or Infinity, which JSON has not")
    if "\\u0000" in text and NUL.search(text):
        raise ValueError("it has a NUL character (\\u0000), which PostgreSQL cannot keep")
    # To go too deep takes as many opening brackets as levels, and at least as many characters.
    if len(text) > DEPTH < text.count("{") + text.count("[") and _deep(msgspec.json.decode(text)):
        raise ValueError(f"it is nested deeper than {DEPTH} levels")


def _unreal(value: object) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    return any(_unreal(child) for child in _children(value))


def _deep(value: object) -> bool:
    level = [value]
    for _ in range(DEPTH):
        level = [child for parent in level for child in _children(parent)]
    return any(isinstance(value, dict | list) for value in level)


def _children(value: object) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list | tuple | set | frozenset) else ()
