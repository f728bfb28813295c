"""Turns text around."""

from __future__ import annotations

import regex

# What a reader takes for one character: a letter with its accents, a family of emoji, a flag.
GRAPHEME = regex.compile(r"\X")


def reverse_string(text: str) -> dict[str, str]:
    """Reverse text without tearing apart what is read as one character."""
    return {"reversed": "".join(reversed(GRAPHEME.findall(text)))}
