"""Brings a database's tables to the version of this program, and back, in numbered steps."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from windlass.core.errors import NotMigrated

FILE = re.compile(r"^(\d{4})_(\w+)\.up\.sql$")
LEDGER = "windlass_migrations"


class Step(Struct, frozen=True):
    """One change of the tables, and its undoing."""

    number: int
    name: str
    up: str
    down: str

    @property
    def checksum(self) -> str:
        """What the database remembers, to notice a step that was edited after it was applied."""
        return hashlib.sha256(self.up.encode()).hexdigest()


class Applied(Struct, frozen=True):
    """A step as the database remembers it."""

    number: int
    name: str
    checksum: str
    at: datetime


class Migrator(Protocol):
    """Changes the tables of one database, each call in one transaction under its lock."""

    dialect: str

    async def applied(self) -> list[Applied]:
        """The steps that were applied, in their order."""
        ...

    async def apply(self, step: Step) -> None:
        """Apply a step and write it down, unless another process just did."""
        ...

    async def revert(self, step: Step) -> None:
        """Undo a step and strike it out, unless another process just did."""
        ...


def steps(dialect: str) -> list[Step]:
    """The steps this program knows, in their order."""
    folder = Path(__file__).with_name("migrations") / dialect
    found = (FILE.match(file.name) for file in folder.iterdir())
    return sorted(
        (
            Step(
                number=int(match[1]),
                name=match[2],
                up=(folder / match[0]).read_text("utf-8"),
                down=(folder / match[0].replace(".up.", ".down.")).read_text("utf-8"),
            )
            for match in found
            if match
        ),
        key=lambda step: step.number,
    )


async def status(migrator: Migrator) -> list[tuple[Step, Applied | None]]:
    """Every step, with when it was applied; refuses tables that this program did not make."""
    known = steps(migrator.dialect)
    applied = {one.number: one for one in await migrator.applied()}
    _refuse_newer(known, applied.values())
    for step in known:
        there = applied.get(step.number)
        if there and there.checksum != step.checksum:
            raise NotMigrated(
                f"migration {step.number:04} ({step.name}) was applied in another form than this"
                " program has; install the version that applied it, or restore a backup"
            )
    return [(step, applied.get(step.number)) for step in known]


async def up(migrator: Migrator) -> list[Step]:
    """Apply what is missing; answer with those steps. Many may do so at once."""
    missing = [step for step, there in await status(migrator) if there is None]
    for step in missing:
        await migrator.apply(step)
    return missing


async def down(migrator: Migrator, to: int | None = None) -> list[Step]:
    """Undo the last step, or all after step `to` (0: every one); answer with those undone."""
    present = [step for step, there in await status(migrator) if there is not None]
    undone = present[-1:] if to is None else [step for step in present if step.number > to]
    for step in reversed(undone):
        await migrator.revert(step)
    return undone[::-1]


async def check(migrator: Migrator) -> None:
    """Refuse to work on tables that are older or newer than this program."""
    missing = [step for step, there in await status(migrator) if there is None]
    if missing:
        raise NotMigrated(
            f"the database lacks migration {missing[0].number:04} ({missing[0].name});"
            " run: windlass migrate up"
        )


def _refuse_newer(known: Iterable[Step], applied: Iterable[Applied]) -> None:
    numbers = {step.number for step in known}
    newer = [one for one in applied if one.number not in numbers]
    if newer:
        latest = max(newer, key=lambda one: one.number)
        raise NotMigrated(
            f"the database is at migration {latest.number:04} ({latest.name}), made by a newer"
            f" Windlass; this one knows up to {max(numbers):04}. Upgrade this program, or undo the"
            " migration with the newer one: windlass migrate down"
        )
