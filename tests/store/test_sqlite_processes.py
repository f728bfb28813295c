"""Several processes on one SQLite file: nobody hears of a lock, and a power cut loses nothing."""

import asyncio
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.faults.dose import dose
from tests.waiting import until

ROOT = Path(__file__).parents[2]
PROCESSES = 4
SECONDS = dose(short=6, full=60)
# Somebody reads what there was for so long; then there must be time left to fold the log.
READING = dose(short=2.0, full=30.0)
CUTS = dose(short=8, full=200)
# Then a new file: each cut reads the whole of it, and it grows.
CUTS_IN_A_ROW = 20
# What a log may grow to by itself; while somebody reads it can only grow.
MIB = 1 << 20
LOG = 64 * MIB


class Hauler:
    """A hauler in a process of its own; it speaks into a file, since a full pipe would stop it."""

    def __init__(self, path: Path, seconds: float, number: int) -> None:
        self._said = path.with_name(f"hauler{number}")
        with self._said.open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.store.hauler", path, str(seconds), str(number)],
                cwd=ROOT,
                stdout=said,
                stderr=said,
            )

    async def at_work(self) -> None:
        """Wait until it has kept a first promise."""
        await until(lambda: self._said.stat().st_size > 0, at_most=30)

    def lines(self) -> list[str]:
        """What it said; a last line that was cut off counts for nothing."""
        self.process.wait(60)
        return self._said.read_text().split("\n")[:-1]


def said(word: str, lines: Iterable[str]) -> list[str]:
    return [line.removeprefix(f"{word} ") for line in lines if line.startswith(f"{word} ")]


@pytest.mark.timeout(240)
async def test_four_processes_share_a_file_and_nobody_hears_of_a_lock(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    path = tmp_path / "windlass.db"
    haulers = [Hauler(path, SECONDS, number) for number in range(PROCESSES)]
    for hauler in haulers:
        await hauler.at_work()
    with sqlite3.connect(path) as slow:
        # A reader that stays keeps the log from being cut, and must not keep anyone from writing.
        slow.execute("begin")
        slow.execute("select count(*) from windlass_jobs").fetchall()
        most = await log_of(path, haulers, at_most=READING)
    slow.close()
    last = await log_of(path, haulers, at_most=SECONDS)
    lines = [line for hauler in haulers for line in hauler.lines()]

    assert [hauler.process.returncode for hauler in haulers] == [0] * PROCESSES, lines[-20:]
    assert said("stale", lines) == []
    done = Counter(said("done", lines))
    assert max(done.values()) == 1
    assert len(said("kept", lines)) == len(done) + waiting(path)
    assert history(path) == set(done)
    slowest = max(float(one) for one in said("over", lines))
    record_property("jobs done", len(done))
    record_property("slowest turn", f"{slowest} s")
    record_property("log while somebody read", f"{most / MIB:.1f} MiB")
    record_property("log in the end", f"{last / MIB:.1f} MiB")
    assert last <= LOG
    # Four share the file, and each gets its turn long before the patience of 5 s ends.
    assert slowest < 3.0


@pytest.mark.timeout(dose(short=240, full=1500))
async def test_a_power_cut_loses_nothing_that_was_promised(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    chance = random.Random(7)

    promises = 0
    for row in range(0, CUTS, CUTS_IN_A_ROW):
        folder = tmp_path / f"row{row}"
        folder.mkdir()
        promises += await cuts_in_a_row(folder, min(CUTS, CUTS_IN_A_ROW), chance)
        shutil.rmtree(folder)

    record_property("power cuts", CUTS)
    record_property("promises kept", promises)
    assert promises > 0


async def cuts_in_a_row(folder: Path, cuts: int, chance: random.Random) -> int:
    """Cut the power again and again, each time going on with what was left: promises kept."""
    path = folder / "windlass.db"
    kept: set[str] = set()
    done: set[str] = set()
    for number in range(cuts):
        for lines in await cut_off(path, number, chance):
            kept |= set(said("kept", lines))
            done |= set(said("done", lines))
        copied = copy(path, folder / f"cut{number}", torn=chance.random() < 0.5)

        assert whole(shortened(path, folder / f"short{number}"))
        with sqlite3.connect(copied) as database:
            assert database.execute("pragma integrity_check").fetchall() == [("ok",)]
            found = {row[0] for row in database.execute("select id from windlass_every_job")}
            finished = {row[0] for row in database.execute("select id from windlass_history")}
        database.close()
        assert kept - found == set()
        assert done - finished == set()
        path = copied
    return len(kept) + len(done)


async def cut_off(path: Path, number: int, chance: random.Random) -> list[list[str]]:
    """What two processes said until they were killed, whatever they were doing then."""
    haulers = [Hauler(path, 30, number * 2 + one) for one in range(2)]
    for hauler in haulers:
        await hauler.at_work()
    await asyncio.sleep(chance.random() * 0.4)
    for hauler in haulers:
        hauler.process.send_signal(signal.SIGKILL)
    return [hauler.lines() for hauler in haulers]


async def log_of(path: Path, haulers: Iterable[Hauler], at_most: float) -> int:
    """The size of the log after so much time, or when all have ended; in bytes."""
    log = path.with_name(f"{path.name}-wal")
    size, until_then = 0, time.monotonic() + at_most
    while time.monotonic() < until_then and any(one.process.poll() is None for one in haulers):
        with suppress(FileNotFoundError):
            size = log.stat().st_size
        await asyncio.sleep(0.1)
    return size


def copy(path: Path, folder: Path, *, torn: bool) -> Path:
    """The file and its log as a dead machine leaves them; perhaps with half a frame at its end."""
    folder.mkdir()
    for suffix in ("", "-wal"):
        file = path.with_name(path.name + suffix)
        if file.exists():
            shutil.copy(file, folder / file.name)
    log = folder / f"{path.name}-wal"
    if torn and log.exists():
        # A frame that was being written when the power went: nobody was told of it.
        with log.open("ab") as end:
            end.write(b"\x5a" * 2_000)
    return folder / path.name


def shortened(path: Path, folder: Path) -> Path:
    """The same without the last frame of the log, as a disk that lied about it leaves them."""
    short = copy(path, folder, torn=False)
    log = short.with_name(f"{short.name}-wal")
    if log.exists():
        os.truncate(log, max(0, log.stat().st_size - 2_000))
    return short


def whole(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as database:
        return database.execute("pragma integrity_check").fetchall() == [("ok",)]


def waiting(path: Path) -> int:
    with sqlite3.connect(path) as database:
        live = "select count(*) from windlass_every_job where finished_at is null"
        count: int = database.execute(live).fetchone()[0]
    database.close()
    return count


def history(path: Path) -> set[str]:
    with sqlite3.connect(path) as database:
        found = {row[0] for row in database.execute("select id from windlass_history")}
    database.close()
    return found
