"""Worker processes are started by plain means, the first before its supervisor is ready."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from tests.waiting import until
from windlass.starting import program
from windlass.wiring.mustering import CHILD
from windlass.worker.hand import Hand
from windlass.worker.memory import shared_memory
from windlass.worker.muster import Muster, Recruit

# Writes down what it is told to load, and waits for its end.
LOADER = """
import json, os, socket, sys, time
control = socket.socket(fileno=int(sys.argv[1]))
app, environ = json.loads(control.makefile().readline())
with open("loaded.new", "w") as file:
    file.write(f"{os.getpid()} {app} {environ.get('SHOP_STREET')}")
os.rename("loaded.new", "loaded")
time.sleep(600)
"""
SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]
# Calls up the process that a supervisor would, and is killed before it does anything else.
DOOMED = """
import os, signal
from windlass.wiring.mustering import muster
called = muster()
called.early()
print(called.next().pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the processes of a test are."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def muster() -> Iterator[Muster]:
    with closing(Muster([sys.executable, "-c", LOADER])) as muster:
        yield muster


@pytest.fixture
def sleeper() -> Iterator[Recruit]:
    """A process that ends only if it is killed."""
    recruit = Recruit.start(SLEEPER, shared_memory())
    yield recruit
    recruit.dismiss()


async def test_a_process_that_was_called_up_early_loads_what_is_named_later(
    folder: Path, muster: Muster, monkeypatch: pytest.MonkeyPatch
) -> None:
    muster.early()
    monkeypatch.setenv("SHOP_STREET", "Quay 3")
    muster.load("shop:app")
    await until((folder / "loaded").exists)

    first = muster.next()

    first.dismiss()
    assert (folder / "loaded").read_text() == f"{first.pid} shop:app Quay 3"


async def test_the_next_one_is_another_and_loads_the_same(folder: Path, muster: Muster) -> None:
    muster.early()
    muster.load("shop:app")
    first = muster.next()
    await until((folder / "loaded").exists)
    (folder / "loaded").unlink()

    second = muster.next()

    await until((folder / "loaded").exists)
    for each in (first, second):
        each.dismiss()
    assert (folder / "loaded").read_text() == f"{second.pid} shop:app None"
    assert first.pid != second.pid


def test_whoever_was_called_up_for_nothing_is_ended(muster: Muster) -> None:
    before = set(psutil.Process().children())
    muster.early()
    [called] = set(psutil.Process().children()) - before

    muster.close()

    assert not called.is_running()


def test_who_cannot_be_called_up_early_is_started_when_it_is_due() -> None:
    muster = Muster(["/no/such/program"])

    muster.early()

    with pytest.raises(FileNotFoundError):
        muster.next()


async def test_a_process_ends_with_whoever_called_it_up_and_was_killed() -> None:
    doomed = subprocess.run(
        [sys.executable, "-c", DOOMED], stdout=subprocess.PIPE, text=True, check=False
    )

    called = int(doomed.stdout)

    assert doomed.returncode == -signal.SIGKILL
    await until(lambda: is_over(called))


def test_a_process_that_hears_of_no_app_ends_in_silence(capfd: pytest.CaptureFixture[str]) -> None:
    recruit = Recruit.start(program(CHILD), shared_memory())

    recruit.line.close()

    assert recruit.wait() == 0
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("told", ["by a descriptor", "by a thread"])
async def test_the_end_of_a_process_is_seen_and_how_it_came(
    sleeper: Recruit, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if told == "by a thread":
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    hand = await Hand.of(sleeper)
    end = asyncio.create_task(hand.ended())
    await asyncio.sleep(0)

    os.kill(hand.pid, signal.SIGTERM)

    assert await end == -signal.SIGTERM


async def test_the_end_of_a_process_that_is_over_is_seen_as_well(sleeper: Recruit) -> None:
    hand = await Hand.of(sleeper)
    hand.kill()
    sleeper.wait()

    hand.kill()

    assert await hand.ended() == -signal.SIGKILL


def is_over(pid: int) -> bool:
    """Whether a process has ended; somebody else may still have to take note of it."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
