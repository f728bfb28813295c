"""The whole checkup, in the order in which one thing needs another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from windlass.cli.checkup import (
    api,
    app_module,
    file,
    machine,
    mail,
    packages,
    redis,
    server,
    tables,
    work,
)
from windlass.cli.checkup.finding import Finding, Verdict, ok, problem
from windlass.cli.desk import Desk
from windlass.config import PROGRAM
from windlass.core.errors import Busy, StoreAway, WindlassError

if TYPE_CHECKING:
    from windlass.wiring import Windlass

SOURCES = {
    PROGRAM: "--store names the store",
    "default": "nothing names a store: it is the default one",
}
# No look takes longer, whatever does not answer.
LONGEST_LOOK = 12.0
# Without these there is nothing more to look at.
NEEDED = frozenset({"store", "rights", "pooler", "locks", "file system"})
CORRECT = "correct that, and ask again"
SEE = "see what keeps it from answering, and ask again"


async def examine(desk: Desk) -> AsyncIterator[Finding]:
    """Look at everything; what a problem keeps us from looking at is left out."""
    for finding in machine.examine():
        yield finding
    try:
        app = desk.app
    except WindlassError as refused:
        yield problem("settings", str(refused), CORRECT)
        return
    async for finding in _around(app):
        yield finding
    usable = True
    for finding in await _looked("store", _store(app)):
        yield finding
        usable = usable and not (finding.check in NEEDED and finding.verdict is Verdict.PROBLEM)
    for finding in await _looked("redis", redis.examine(app.settings)):
        yield finding
    if usable and file.made(app.storehouse.address):
        async for finding in _inside(app):
            yield finding


async def _around(app: Windlass) -> AsyncIterator[Finding]:
    """What the store has no part in."""
    settings, source = app.settings, app.settings.sources["store"]
    yield ok("settings", SOURCES.get(source, f"{source} names the store"))
    for finding in await _looked("app", app_module.examine(settings)):
        yield finding
    # A mail server that cannot be is told of by itself.
    for finding in await _looked("packages", packages.examine(replace(settings, smtp_url=None))):
        yield finding
    for finding in await _looked("api", api.examine(settings)):
        yield finding
    for finding in await _looked("mail", mail.examine(settings)):
        yield finding


async def _store(app: Windlass) -> AsyncIterator[Finding]:
    place = app.storehouse.address.place
    if app.storehouse.address.dialect == "postgres":
        async for finding in server.examine(place, app.settings):
            yield finding
        return
    for finding in file.examine(place):
        yield finding


async def _inside(app: Windlass) -> AsyncIterator[Finding]:
    """What the store holds."""
    [standing] = await _looked("tables", tables.examine(app.storehouse))
    yield standing
    if standing.verdict is Verdict.OK:
        for finding in await _looked("work", work.examine(app)):
            yield finding


async def _looked(check: str, look: AsyncIterator[Finding]) -> list[Finding]:
    """What a look finds; that it cannot be had, or takes too long, is a finding too."""
    found: list[Finding] = []
    try:
        async with asyncio.timeout(LONGEST_LOOK):
            async for finding in look:
                found += [finding]
    except TimeoutError:
        late = f"there was no answer within {LONGEST_LOOK:g} s"
        return [*found, problem(check, late, SEE)]
    except (StoreAway, Busy) as away:
        return [*found, problem(check, str(away), SEE)]
    except WindlassError as refused:
        return [*found, problem(check, str(refused), CORRECT)]
    return found
