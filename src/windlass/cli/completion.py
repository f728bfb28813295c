"""Completion in bash, which breaks words at colons: whole words in, what follows the break out."""

from __future__ import annotations

import sys
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from typing import NamedTuple

BREAKS = ":="
# A file that is read begins with an @, so only in an address is it a break.
BREAKS_OF_ADDRESS = ":=@"


class Typed(NamedTuple):
    """The words up to the cursor, and what bash keeps of the last one whatever is offered."""

    words: list[str]
    kept: str


@contextmanager
def in_whole_words(environ: MutableMapping[str, str]) -> Iterator[None]:
    """Let words be completed as they were typed, if it is bash that asks.

    What bash sends and reads is not ours to change: the script that it was taught is kept by users.
    """
    if environ.get("_WINDLASS_COMPLETE") != "complete_bash":
        yield
        return
    broken = environ["COMP_WORDS"].split("\n")[: int(environ["COMP_CWORD"]) + 1]
    typed = whole(broken)
    environ["COMP_WORDS"] = "\n".join(typed.words)
    environ["COMP_CWORD"] = str(int(environ["COMP_CWORD"]) - len(broken) + len(typed.words))
    offers = StringIO()
    try:
        with redirect_stdout(offers):
            yield
    finally:
        lines = offers.getvalue().splitlines(keepends=True)
        sys.stdout.writelines(line.removeprefix(typed.kept) for line in lines)


def whole(broken: Sequence[str]) -> Typed:
    """The words that bash has broken, put together again."""
    words: list[str] = []
    for place, part in enumerate(broken):
        if words and part and (_breaks(part, words[-1]) or _breaks(broken[place - 1], words[-1])):
            words[-1] += part
        else:
            words.append(part)
    return Typed(words, _kept(words[-1], broken[-1]))


def _breaks(part: str, word: str) -> bool:
    """Whether this part of a word stands where it is broken."""
    return part != "" and not part.strip(BREAKS_OF_ADDRESS if "://" in word else BREAKS)


def _kept(word: str, last: str) -> str:
    kept = word if _breaks(last, word) else word.removesuffix(last)
    # Values are offered without the option that they are of.
    return kept.partition("=")[2] if kept.startswith("-") else kept
