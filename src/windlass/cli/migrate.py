"""`windlass migrate`: bring the tables to the version of this program, or back."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, assert_never

import typer
from rich.text import Text

from windlass.cli import look
from windlass.cli.desk import Desk
from windlass.cli.words import both
from windlass.core.errors import BadInput
from windlass.store import migrate as steps

if TYPE_CHECKING:
    from windlass.store.migrate import Applied, Migrator, Step


class Direction(StrEnum):
    """What to do with the tables."""

    UP = "up"
    DOWN = "down"
    STATUS = "status"


Which = Annotated[Direction, typer.Argument(metavar="DIRECTION", help="Where to.")]
To = Annotated[int | None, typer.Option(metavar="NUMBER", help="With down: undo all after this.")]
Yes = Annotated[bool, typer.Option("--yes", help="With down: do it without asking.")]


async def migrate(desk: Desk, direction: Which, *, to: To = None, yes: Yes = False) -> None:
    """Bring the tables to the version of this program, or back.

    up applies what is missing, down undoes the last step, status changes nothing.

    Undoing a migration throws away what its tables hold; --to 0 undoes every one.

    Example: windlass migrate up
    """
    if direction is Direction.DOWN and not yes:
        _ask()
    migrator, database = desk.app.storehouse.migrator()
    try:
        await _go(desk, migrator, direction, to)
    finally:
        await database.close()


async def _go(desk: Desk, migrator: Migrator, direction: Direction, to: int | None) -> None:
    match direction:
        case Direction.UP:
            _done(desk, "applied", await steps.up(migrator))
        case Direction.DOWN:
            _done(desk, "undone", await steps.down(migrator, to))
        case Direction.STATUS:
            _status(desk, await steps.status(migrator))
        case _:
            assert_never(direction)


def _ask() -> None:
    if not sys.stdin.isatty():
        raise BadInput("migrate down throws jobs away; say --yes if that is what you want")
    typer.confirm("This throws away what the tables hold. Go on?", abort=True, err=True)


def _done(desk: Desk, word: str, steps: Sequence[Step]) -> None:
    rows = [(f"{step.number:04}", step.name, word) for step in steps]
    named = [{"number": step.number, "name": step.name} for step in steps]
    desk.answer(
        {word: named}, look.table(("migration>", "name", ""), rows) if rows else "no change"
    )


def _status(desk: Desk, steps: Sequence[tuple[Step, Applied | None]]) -> None:
    known = [
        {"number": step.number, "name": step.name, "applied_at": there.at if there else None}
        for step, there in steps
    ]
    rows = [
        (f"{step.number:04}", step.name, both(there.at, desk.now) if there else _MISSING)
        for step, there in steps
    ]
    desk.answer(known, look.table(("migration>", "name", "applied"), rows))
    if any(there is None for _, there in steps):
        desk.suggest("apply what is missing: windlass migrate up")


_MISSING = Text("not yet", "yellow")
