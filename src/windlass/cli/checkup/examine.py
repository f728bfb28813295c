"""The whole checkup, in the order in which one thing needs another."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from windlass.cli.checkup import file, machine, packages, redis, server, tables, work
from windlass.cli.checkup.finding import Finding, Verdict, ok, problem
from windlass.cli.desk import Desk
from windlass.core.errors import WindlassError

if TYPE_CHECKING:
    from windlass.wiring import Windlass


SOURCES = {
    "the program": "--store names the store",
    "default": "nothing names a store: it is the default one",
}


async def examine(desk: Desk) -> AsyncIterator[Finding]:
    """Look at everything; what a problem keeps us from looking at is left out."""
    for finding in machine.examine():
        yield finding
    try:
        async for finding in _inside(desk.app):
            yield finding
    except WindlassError as refused:
        yield problem("settings", str(refused), "correct that, and ask again")


async def _inside(app: Windlass) -> AsyncIterator[Finding]:
    source = app.settings.sources["store"]
    yield ok("settings", SOURCES.get(source, f"{source} names the store"))
    for finding in packages.examine(app.settings):
        yield finding
    usable = True
    async for finding in _store(app):
        yield finding
        usable = usable and (finding.check, finding.verdict) != ("store", Verdict.PROBLEM)
    async for finding in redis.examine(app.settings):
        yield finding
    if not usable or not file.made(app.storehouse.address):
        return
    standing = await tables.examine(app.storehouse)
    yield standing
    if standing.verdict is Verdict.OK:
        async for finding in work.examine(app):
            yield finding


async def _store(app: Windlass) -> AsyncIterator[Finding]:
    place = app.storehouse.address.place
    if app.storehouse.address.dialect == "postgres":
        async for finding in server.examine(place, app.settings):
            yield finding
        return
    for finding in file.examine(place):
        yield finding
