"""The app of nodes in trouble: besides the usual jobs, some that tick, hang, or hog the GIL."""

import asyncio
import ctypes
import json
import os
import time
from pathlib import Path
from typing import NamedTuple

from tests.acceptance.fleet import Start
from tests.acceptance.jobs import LEDGER, MANY, Works, begin
from windlass import Context, Windlass

START = Start(app="tests.faults.troubles:app")

TICK = 0.02
TIMEOUT = 1.0  # of the jobs that hang


class Tick(NamedTuple):
    """One of the effects of an attempt; the clock is one that all processes here share."""

    pid: int
    began: float
    at: float


async def tick(ctx: Context, number: int, gate: str) -> None:
    """Act upon the world again and again until a file is there."""
    begin(ctx, number)
    began = time.monotonic()
    while not Path(gate).exists():
        line = json.dumps(Tick(os.getpid(), began, time.monotonic())) + "\n"
        with ticks_beside(Path(os.environ[LEDGER])).open("a") as file:
            file.write(line)
        await asyncio.sleep(TICK)


def spin(ctx: Context, number: int) -> None:
    """Compute without end."""
    begin(ctx, number)
    while True:
        pass


async def wait(ctx: Context, number: int) -> None:
    """Wait without end."""
    begin(ctx, number)
    await asyncio.sleep(1e9)


def doze(ctx: Context, number: int) -> None:
    """Sleep without end, in a process of its own."""
    begin(ctx, number)
    time.sleep(1e9)


def nap(ctx: Context, number: int, seconds: float) -> None:
    """Sleep beyond the timeout, in a thread, which nobody can stop."""
    begin(ctx, number)
    time.sleep(seconds)


def hog(ctx: Context, number: int, seconds: float) -> None:
    """Keep the GIL in C code: nothing else runs in this process, not even its event loop."""
    begin(ctx, number)
    ctypes.PyDLL(None).usleep(round(seconds * 1e6))


def ticks_beside(ledger: Path) -> Path:
    """Where attempts write their ticks."""
    return ledger.with_name("ticks")


def ticks(ledger: Path) -> list[Tick]:
    """Every tick so far, but for one that is being written."""
    path = ticks_beside(ledger)
    lines = path.read_text().splitlines() if path.exists() else []
    return [Tick(*json.loads(line)) for line in lines if line.endswith("]")]


class Troubles:
    """These jobs of one app, by their names."""

    def __init__(self, app: Windlass) -> None:
        self.tick = app.job(max_crashes=MANY)(tick)
        self.spin = app.job(timeout=TIMEOUT, max_attempts=1, isolation="process")(spin)
        self.wait = app.job(timeout=TIMEOUT, max_attempts=1)(wait)
        self.doze = app.job(timeout=TIMEOUT, max_attempts=1, isolation="process")(doze)
        self.nap = app.job(timeout=TIMEOUT, max_attempts=1)(nap)
        self.hog = app.job(hog)


app = Windlass()
works = Works(app)
troubles = Troubles(app)
