"""The page of the settings: names, values and defaults as `windlass.config` has them."""

import inspect
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.docs.reference.table import table
from windlass import config
from windlass.config import FOREIGN, SECRETS, SETTINGS, Settings

INTRO = Path(__file__).with_suffix(".md").read_text("utf-8") + "\n"
SOURCES = """
## Variables of others

Platforms set these. What stands further down wins, and ours win over all of them. `POSTGRES_HOST`
comes with `POSTGRES_PORT`, `_USER`, `_PASSWORD`, `_DB` and `_SSL_MODE`, `REDIS_HOST` with
`REDIS_PORT`, `_PASSWORD` and `_DB`.

"""
HEADS = ("setting", "meaning", "value", "default")


def page() -> str:
    """All of it."""
    rows = [_row(name) for name in SETTINGS]
    foreign = [(f"`{variable}`", f"`{name}`") for name, variable in FOREIGN]
    others = table(("variable", "setting"), foreign)
    return f"{INTRO}{table(HEADS, rows)}{SOURCES}{others}"


def _row(name: str) -> tuple[str, str, str, str]:
    return f"`{name}`", dict(_comments())[name], _value(name), _default(name)


def _default(name: str) -> str:
    value = getattr(Settings(), name)
    if value is None or value == ():
        return ""
    return f"`{_words(value)}`"


def _words(value: Any) -> str:
    match value:
        case bool():
            return "1" if value else "0"
        case timedelta():
            return _duration(value)
        case _:
            return str(value)


def _duration(value: timedelta) -> str:
    seconds = int(value.total_seconds())
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds % length == 0:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"


def _value(name: str) -> str:
    accepted = config._accepted(SETTINGS[name])
    return f"{accepted}; never shown" if name in SECRETS else accepted


def _comments() -> Iterator[tuple[str, str]]:
    """What the code says beside each setting."""
    for line in inspect.getsource(Settings).splitlines():
        if found := re.match(r"    (\w+): .*?  # (.*)", line):
            yield found[1], found[2].replace("None: ", "if not set, ")
