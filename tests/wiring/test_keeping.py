"""A process that is kept beside another is started again, whatever kept it from running."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.recorder import Recorder
from tests.waiting import until
from windlass.observe.events import ChoreFailed, ProcessDied
from windlass.wiring.keeping import Keeper
from windlass.wiring.stopping import Stop
from windlass.worker.supervisor import Exit

# Ends by itself at first, and then goes on until it is told to end.
OBEDIENT = """
import pathlib, signal, sys
been = pathlib.Path(sys.argv[1])
if not been.exists():
    been.touch()
    sys.exit(7)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
been.with_name("ready").touch()
signal.pause()
"""


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


async def test_a_process_that_cannot_be_started_or_dies_is_started_again(
    recorder: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = Keeper("workers", [sys.executable, "-c", OBEDIENT, str(tmp_path / "been")], recorder)
    start, refused = keeper._start, False

    async def starting() -> asyncio.subprocess.Process:
        nonlocal refused
        if not refused:
            refused = True
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return await start()

    monkeypatch.setattr(keeper, "_start", starting)
    stop = Stop(recorder)
    keeping = asyncio.create_task(keeper.run(stop, 20))
    await until(lambda: keeping.done() or (tmp_path / "ready").exists())

    stop.asked.set()

    assert await keeping is Exit.STOPPED
    assert [event.chore for event in recorder.of(ChoreFailed)] == ["start workers"]
    assert [event.code for event in recorder.of(ProcessDied)] == [7]
