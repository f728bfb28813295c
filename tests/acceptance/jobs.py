"""The app that the nodes run: every job first writes down that it began."""

import asyncio
import ctypes
import mmap
import os
import resource
import signal
import time
from pathlib import Path

from tests.acceptance.grants import held
from tests.acceptance.ledger import Ledger
from windlass import Context, Windlass

LEDGER = "ACCEPTANCE_LEDGER"
BALLAST = "ACCEPTANCE_BALLAST"

MIB = 1024 * 1024
# More than all kills of a test: a SIGKILL from outside looks like a crash of the job.
MANY = 50


async def effect(ctx: Context, number: int, seconds: float) -> None:
    """Leave one row behind, in the commit that completes the job."""
    begin(ctx, number)
    await asyncio.sleep(seconds)
    async with ctx.transaction() as connection:
        await connection.execute(row(ctx, number))


def plain_effect(ctx: Context, number: int, seconds: float) -> None:
    """The same in a thread."""
    begin(ctx, number)
    time.sleep(seconds)
    with ctx.transaction() as connection:
        connection.execute(row(ctx, number))


async def gated_effect(ctx: Context, number: int, gate: str) -> None:
    """The same once a file is there."""
    begin(ctx, number)
    while not Path(gate).exists():  # noqa: ASYNC110 — another process makes it
        await asyncio.sleep(0.02)
    async with ctx.transaction() as connection:
        await connection.execute(row(ctx, number))


def gated_isolated_effect(ctx: Context, number: int, gate: str) -> None:
    """The same in a process of its own."""
    begin(ctx, number)
    while not Path(gate).exists():
        time.sleep(0.02)
    with ctx.transaction() as connection:
        connection.execute(row(ctx, number))


def gated_toil(ctx: Context, number: int, gate: str) -> None:
    """Wait for a file in a thread, which nobody can stop."""
    begin(ctx, number)
    while not Path(gate).exists():
        time.sleep(0.02)
    end(ctx, number)


async def rest(ctx: Context, number: int, seconds: float) -> None:
    """Do nothing for a while."""
    begin(ctx, number)
    await asyncio.sleep(seconds)
    end(ctx, number)


def toil(ctx: Context, number: int, seconds: float) -> None:
    """The same in a thread."""
    begin(ctx, number)
    time.sleep(seconds)
    end(ctx, number)


async def hold(ctx: Context, number: int, seconds: float) -> None:
    """Hold the threads that were granted for a while."""
    begin(ctx, number)
    with held(ctx, number, os.getpid()):
        await asyncio.sleep(seconds)


def hold_plainly(ctx: Context, number: int, seconds: float) -> None:
    """The same in a thread."""
    begin(ctx, number)
    with held(ctx, number, os.getpid()):
        time.sleep(seconds)


def hold_isolated(ctx: Context, number: int, seconds: float) -> None:
    """The same in a process of its own, with threads of the worker that started it."""
    begin(ctx, number)
    with held(ctx, number, os.getppid()):
        time.sleep(seconds)


async def leave(ctx: Context, number: int) -> None:
    """End the process as a shell would say an out-of-memory kill."""
    begin(ctx, number)
    os._exit(137)


async def devour(ctx: Context, number: int) -> None:
    """Take memory until there is none, and end as the kernel would end it."""
    begin(ctx, number)
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (memory_in_use() + 256 * MIB, most))
    taken = []
    try:
        while True:
            taken.append(bytearray(16 * MIB))
    except MemoryError:
        os.kill(os.getpid(), signal.SIGKILL)


async def stumble(ctx: Context, number: int) -> None:
    """Read memory that is not there."""
    begin(ctx, number)
    ctypes.string_at(0)


def begin(ctx: Context, number: int) -> None:
    """Write down that an attempt began."""
    Ledger(Path(os.environ[LEDGER])).write(ctx.id, ctx.fence, number)


def end(ctx: Context, number: int) -> None:
    """Write down that a handler is through, before anybody can say that its job is completed."""
    Ledger(Path(os.environ[LEDGER])).end(ctx.id, ctx.fence, number)


def row(ctx: Context, number: int) -> str:
    """A row in a table that takes doubles, in words that both databases understand."""
    return f"insert into effects values ({number}, '{ctx.id}', {ctx.fence})"  # noqa: S608


def memory_in_use() -> int:
    """The address space of this process, in bytes."""
    pages = Path("/proc/self/statm").read_text().split()[0]
    return int(pages) * resource.getpagesize()


class Works:
    """The jobs of one app, by their names."""

    def __init__(self, app: Windlass) -> None:
        self.effect = app.job(max_crashes=MANY)(effect)
        self.plain_effect = app.job(max_crashes=MANY)(plain_effect)
        self.gated_effect = app.job(max_crashes=MANY)(gated_effect)
        self.gated_isolated_effect = app.job(max_crashes=MANY, isolation="process")(
            gated_isolated_effect
        )
        self.gated_toil = app.job(max_crashes=MANY)(gated_toil)
        self.rest = app.job(rest)
        self.toil = app.job(toil)
        self.hold = app.job(max_crashes=MANY)(hold)
        self.hold_plainly = app.job(max_crashes=MANY)(hold_plainly)
        self.hold_isolated = app.job(max_crashes=MANY, isolation="process")(hold_isolated)
        self.leave = app.job(leave)
        self.devour = app.job(devour)
        self.stumble = app.job(stumble)


app = Windlass()
works = Works(app)
# Some apps take a lot of address space before they do anything.
ballast = mmap.mmap(-1, int(os.environ.get(BALLAST, "1")))
