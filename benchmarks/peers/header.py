"""What a side says of itself in the first lines of its file; the file itself is never imported."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

SIDES = Path(__file__).with_name("sides")
OURS = "windlass_"
# As PEP 723 has it: a block of comments that holds TOML.
BLOCK = re.compile(r"(?m)^# /// script$\n((?:^#(?:| .*)$\n)+?)^# ///$")

Store = Literal["redis", "postgres", "postgres+redis", "sqlite"]


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a side is set up; `[tool.side]`."""

    side: str  # the name of its file
    name: str
    store: Store
    durable: bool  # whether a job that was accepted survives a power cut
    setup: str
    workers: int  # how many of the worker command
    worker: tuple[str, ...]
    drain: int  # jobs that take it about ten seconds
    slots: int = 4  # jobs that all its workers together run at once
    beside: tuple[str, ...] = ()  # one more command that its workers need
    env: Mapping[str, str] = {}
    requires_python: str
    dependencies: tuple[str, ...]

    @property
    def ours(self) -> bool:
        """Whether it is Windlass."""
        return self.side.startswith(OURS)

    def versions(self) -> dict[str, str]:
        """What it runs with, as it is pinned."""
        return dict(pin.split(";")[0].strip().split("==") for pin in self.dependencies)


def headers() -> list[Header]:
    """Every side: ours first, then by store and name."""
    files = [file for file in SIDES.glob("*.py") if file.name != "__init__.py"]
    found = [read(file) for file in files]
    return sorted(found, key=lambda one: (not one.ours, one.store, one.name.casefold()))


def read(file: Path) -> Header:
    """The header of one file."""
    block = BLOCK.search(file.read_text("utf-8"))
    if block is None:
        raise ValueError(f"{file.name} says nothing of itself; it begins with # /// script")
    lines = block[1].splitlines()
    said = tomllib.loads("\n".join(line[2:] for line in lines))
    facts = {
        "side": file.stem,
        "requires_python": said["requires-python"],
        "dependencies": said["dependencies"],
        **said["tool"]["side"],
    }
    try:
        return msgspec.convert(facts, Header)
    except msgspec.ValidationError as problem:
        raise ValueError(f"the header of {file.name} will not do: {problem}") from None
