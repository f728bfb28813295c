"""The tables: whether they are of this program's version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass.cli.checkup.finding import Finding, ok, problem
from windlass.core.errors import NotMigrated
from windlass.store import migrate

if TYPE_CHECKING:
    from windlass.wiring import Storehouse


async def examine(house: Storehouse) -> Finding:
    """Compare the migrations that were applied with those this program knows."""
    migrator, database = house.migrator()
    try:
        steps = await migrate.status(migrator)
    except NotMigrated as refused:
        return problem("tables", str(refused), "until then nothing here can use them")
    finally:
        await database.close()
    missing = [step for step, there in steps if there is None]
    if not missing:
        return ok("tables", f"at migration {steps[-1][0].number:04}, the newest")
    named = ", ".join(f"{step.number:04} ({step.name})" for step in missing)
    return problem("tables", f"lack migration {named}", "windlass migrate up")
