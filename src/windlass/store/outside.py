"""Enqueues through a connection of the caller's: the jobs come with the caller's commit, or not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeVar, cast

import msgspec
from msgspec import Struct

from windlass.core.errors import BadInput
from windlass.core.job import NewJob
from windlass.store.drivers import Args, Driver, Style, driver_of
from windlass.store.enqueue import enqueue_script
from windlass.store.queries import Query, shipped
from windlass.store.records import Enqueued
from windlass.store.script import Rows, Script, Statement
from windlass.store.sqlite_batches import Batches

T = TypeVar("T")


class Request(Struct, frozen=True, kw_only=True):
    """What to enqueue, and for which store."""

    jobs: Sequence[NewJob]
    dialect: str
    schema: str
    now_us: int  # the time of an embedded store; PostgreSQL has its own
    ring: str | None = None  # a statement that rings the bell when the caller commits


async def enqueue(request: Request, connection: object) -> list[Enqueued]:
    """Keep the jobs as part of the transaction that is open on the connection.

    On a connection that commits each statement by itself they are kept, all or none, at once.
    With a plain connection nothing is awaited: the statements run in the caller's thread.
    """
    driver = driver_of(connection)
    if driver.dialect != request.dialect:
        raise BadInput(
            f"the connection speaks {driver.dialect}, but the jobs are kept in {request.dialect};"
            " a transaction cannot span both"
        )
    if driver.waits and not _on_a_loop():
        raise BadInput("this connection is for async code; there: await app.enqueue(…)")
    frame = await _frame(driver, request)
    await frame.open()
    try:
        answers = await _drive(_script(request), driver, request)
        if request.ring is not None:
            await driver.run(request.ring)
    except BaseException:
        await frame.undo()
        raise
    await frame.close()
    return answers


class Frame(Struct, frozen=True):
    """What makes several statements one, in the words of SQL."""

    driver: Driver
    first: str | None = None
    last: str | None = None
    instead: tuple[str, ...] = ()

    async def open(self) -> None:
        """Say the first word."""
        if self.first:
            await self.driver.run(self.first)

    async def close(self) -> None:
        """Say the last word."""
        if self.last:
            await self.driver.run(self.last)

    async def undo(self) -> None:
        """Say what leaves nothing behind."""
        for text in self.instead:
            await self.driver.run(text)


def _script(request: Request) -> Script[list[Enqueued]]:
    if request.dialect == "sqlite":
        # Also if there are none: a transaction that reads before it writes is refused if somebody
        # else writes in between, and one that begins with a write waits.
        yield Statement("line_up")
        yield Statement("line_up.gone")
    return (yield from enqueue_script(request.jobs))


async def _frame(driver: Driver, request: Request) -> Frame:
    if not await driver.in_transaction():
        return Frame(driver, "begin", "commit", ("rollback",))
    if _takes_one_step(request):
        return Frame(driver)  # it is all or nothing by itself
    # A step that fails must not leave those before it to a caller who goes on.
    undo = ("rollback to savepoint windlass", "release savepoint windlass")
    return Frame(driver, "savepoint windlass", "release savepoint windlass", undo)


def _takes_one_step(request: Request) -> bool:
    jobs = request.jobs
    return request.dialect != "sqlite" and all(job.key is None for job in jobs)


async def _drive(script: Script[T], driver: Driver, request: Request) -> T:
    rows: Rows | None = None
    while True:
        try:
            statement = next(script) if rows is None else script.send(rows)
        except StopIteration as stop:
            return cast("T", stop.value)
        rows = []
        for text, args in _written(statement, driver.style, request):
            rows = await driver.run(text, args)


def _written(statement: Statement, style: Style, request: Request) -> Iterator[tuple[str, Args]]:
    """The statement as the driver takes it; on SQLite, many rows are several steps."""
    query = shipped(request.dialect, request.schema)[statement.name]
    if style is Style.SQLITE:
        yield from _for_sqlite(query, statement, request.now_us)
        return
    columns = zip(*statement.rows, strict=True)
    arrays = dict(zip(statement.columns, map(list, columns), strict=True))
    args = {**statement.args, **arrays}
    if style is Style.NUMBERED:
        yield query.numbered, tuple(query.positional(args))
    else:
        yield query.formatted, args


def _for_sqlite(query: Query, statement: Statement, now_us: int) -> Iterator[tuple[str, Args]]:
    args = {
        name: msgspec.json.encode(value).decode() if isinstance(value, list) else value
        for name, value in statement.args.items()
    }
    args["now"] = now_us
    if not statement.columns:
        yield query.text, {name: args[name] for name in query.parameters}
        return
    for text, values in _batches().steps(query, args, statement.columns, statement.rows):
        yield text, tuple(values)


def _on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


@lru_cache
def _batches() -> Batches:
    return Batches()
