"""The tables: whether they are of this program's version."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from windlass.cli.checkup.finding import Finding, ok, problem, warning
from windlass.core.errors import NotMigrated
from windlass.store import migrate

if TYPE_CHECKING:
    from windlass.store.migrate import Applied, Step
    from windlass.wiring import Storehouse


async def examine(house: Storehouse) -> AsyncIterator[Finding]:
    """Compare the migrations that were applied with those this program knows."""
    migrator, database = house.migrator()
    try:
        yield _compared(await migrate.status(migrator), embedded=migrator.dialect == "sqlite")
    except NotMigrated as refused:
        yield problem("tables", str(refused), "until then nothing here can use them")
    finally:
        await database.close()


def _compared(steps: Sequence[tuple[Step, Applied | None]], *, embedded: bool) -> Finding:
    missing = [step for step, there in steps if there is None]
    if not missing:
        return ok("tables", f"at migration {steps[-1][0].number:04}, the newest")
    named = ", ".join(f"{step.number:04} ({step.name})" for step in missing)
    said = "there are none yet" if len(missing) == len(steps) else f"lack migration {named}"
    if embedded:
        return warning("tables", said, "windlass migrate up, or any command that opens the file")
    return problem("tables", said, "windlass migrate up")
