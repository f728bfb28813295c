"""Several processes on one SQLite file: nobody hears of a lock, and a power cut loses nothing."""

import asyncio
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.waiting import until

ROOT = Path(__file__).parents[2]
PROCESSES = 4


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


@pytest.mark.timeout(120)
async def test_four_processes_share_a_file_and_nobody_hears_of_a_lock(tmp_path: Path) -> None:
    path = tmp_path / "windlass.db"
    haulers = [Hauler(path, 4, number) for number in range(PROCESSES)]
    for hauler in haulers:
        await hauler.at_work()
    with sqlite3.connect(path) as slow:
        # A reader that stays keeps the log from being cut, and must not keep anyone from writing.
        slow.execute("begin")
        slow.execute("select count(*) from windlass_jobs").fetchall()
        lines = [line for hauler in haulers for line in hauler.lines()]
    slow.close()

    assert [hauler.process.returncode for hauler in haulers] == [0] * PROCESSES, lines[-20:]
    assert said("stale", lines) == []
    done = Counter(said("done", lines))
    assert max(done.values()) == 1
    assert len(said("kept", lines)) == len(done) + waiting(path)
    assert history(path) == set(done)
    # Four share the file, and each gets its turn long before the patience of 5 s ends.
    assert max(float(one) for one in said("over", lines)) < 3.0


@pytest.mark.timeout(240)
async def test_a_power_cut_loses_nothing_that_was_promised(tmp_path: Path) -> None:
    path = tmp_path / "windlass.db"
    chance = random.Random(7)
    kept: set[str] = set()
    done: set[str] = set()
    for number in range(8):
        haulers = [Hauler(path, 30, number * 2 + one) for one in range(2)]
        for hauler in haulers:
            await hauler.at_work()
        await asyncio.sleep(chance.random() * 0.4)  # whatever they are doing then
        for hauler in haulers:
            hauler.process.send_signal(signal.SIGKILL)
        for hauler in haulers:
            lines = hauler.lines()
            kept |= set(said("kept", lines))
            done |= set(said("done", lines))
        copied = copy(path, tmp_path / f"cut{number}", torn=chance.random() < 0.5)

        with sqlite3.connect(copied) as database:
            assert database.execute("pragma integrity_check").fetchall() == [("ok",)]
            found = {row[0] for row in database.execute("select id from windlass_every_job")}
            finished = {row[0] for row in database.execute("select id from windlass_history")}
        database.close()
        assert kept - found == set()
        assert done - finished == set()
        path = copied

    assert len(done) > 0


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


def waiting(path: Path) -> int:
    with sqlite3.connect(path) as database:
        count: int = database.execute("select count(*) from windlass_jobs").fetchone()[0]
    database.close()
    return count


def history(path: Path) -> set[str]:
    with sqlite3.connect(path) as database:
        found = {row[0] for row in database.execute("select id from windlass_history")}
    database.close()
    return found
