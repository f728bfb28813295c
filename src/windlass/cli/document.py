"""Reads JSON from the command line, from a file or from a pipe, and points at what is wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NoReturn

from windlass.core.errors import BadInput

AROUND = 20


def read(argument: str) -> Any:
    """The value of `{…}`, of the file in `@file`, or of stdin for `-`."""
    text = _text(argument)
    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as problem:
        raise BadInput(
            f"the payload is no JSON: {problem.msg} at line {problem.lineno}, column"
            f" {problem.colno}: {_excerpt(text, problem.pos)}"
        ) from None
    except BadInput:
        raise
    except ValueError:
        raise BadInput("the payload has a number of more digits than anybody could read") from None
    except RecursionError:
        raise BadInput(
            "the payload is no JSON that anybody could read: it nests too deep"
        ) from None


def _text(argument: str) -> str:
    if argument != "-" and not argument.startswith("@"):
        return argument
    name = "stdin" if argument == "-" else argument[1:]
    try:
        raw = sys.stdin.buffer.read() if argument == "-" else Path(name).read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as problem:
        raise BadInput(f"cannot read the payload from {name}: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        raise BadInput(f"{name} is no UTF-8: byte {problem.start} cannot be") from None


def _excerpt(text: str, position: int) -> str:
    """The line around the position, with a mark where it goes wrong."""
    before = text[max(position - AROUND, 0) : position].rpartition("\n")[2]
    after = text[position : position + AROUND].partition("\n")[0]
    return f"{before} ⟶ {after}" if after else f"{before} ⟶ (the end)"


def _refuse(constant: str) -> NoReturn:
    raise BadInput(f"the payload has {constant}, which JSON has not; write null or a text")
