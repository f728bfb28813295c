"""What errors have in common: the same text, whatever numbers, names and places it speaks of."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

from windlass.core.errors import BadInput

# The beginning tells what went wrong; what follows tells of one case.
LONGEST = 500
LENGTH = 12
WRITTEN = re.compile(rf"[0-9a-f]{{{LENGTH}}}")

# What differs from case to case, the longest first, and the word that stands for it.
VARIES = re.compile(
    r"""
    (?P<URL>   \b[a-zA-Z][a-zA-Z0-9+.\-]*://[^\s'"<>]+ )
  | (?P<TEXT>  "[^"\n]*" | (?<!\w)'[^'\n]*'(?!\w) | `[^`\n]*` | «[^»\n]*» | “[^”\n]*” )
  | (?P<MAIL>  \b[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+ )
  | (?P<ID>    \b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b )
  | (?P<PATH>  (?<![\w/.])(?:~|\.{1,2})?(?:/[\w.@+\-]+)+/? | \b[a-zA-Z]:\\[^\s'"]* )
  | (?P<PLACE> (?<![\w:])(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}(?![\w:])
             | \b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b )
  | (?P<HEX>   \b0[xX][0-9a-fA-F]+\b | \b(?=[a-fA-F]*\d)[0-9a-fA-F]{8,}\b )
  | (?P<N>     \d+(?:[.,]\d+)* )
    """,
    re.VERBOSE,
)
BLANKS = re.compile(r"\s+")


def likeness(error: str | None) -> str:
    """The error with words in the places of what differs from case to case."""
    text = VARIES.sub(_word, (error or "")[:LONGEST])
    return BLANKS.sub(" ", text).strip()


@lru_cache(maxsize=10_000)
def fingerprint(error: str | None) -> str:
    """A short name for all errors that are alike; the same everywhere and always."""
    return hashlib.sha256(likeness(error).encode()).hexdigest()[:LENGTH]


def written(value: object) -> str:
    """A fingerprint as somebody wrote it."""
    if isinstance(value, str) and WRITTEN.fullmatch(value):
        return value
    raise BadInput(f"a fingerprint has {LENGTH} digits of 0 to 9 and a to f, unlike {value!r}")


def _word(match: re.Match[str]) -> str:
    return match.lastgroup or ""
