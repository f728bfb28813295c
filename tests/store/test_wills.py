"""What a worker has written down is read after its death: the whole of it, and nothing else."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from windlass.clock import SystemChance
from windlass.core.job import Lane, State, WorkerId
from windlass.core.settle import Settlement
from windlass.store.life_lock import LifeLock
from windlass.store.wills import PAGE, Will, Wills

WORKER = WorkerId("6f0a7a9e-0000-4000-8000-000000000001")
CHANCE = SystemChance()
ROOT = Path(__file__).parents[2]
ENVIRON = {**os.environ, "PYTHONPATH": str(ROOT)}

WRITER = """
import sys, time
from pathlib import Path
from tests.store.test_wills import WORKER, end
from windlass.store.wills import Wills
Wills(Path(sys.argv[1])).begin(WORKER).write([end(fence=7)])
print("written", flush=True)
time.sleep(60)
"""


def end(fence: int = 1, result: str | None = None) -> Settlement:
    """How an attempt ended."""
    return Settlement(
        id=CHANCE.job_id(),
        fence=fence,
        worker=WORKER,
        state=State.COMPLETED,
        lane=Lane.OPEN,
        fence_after=fence,
        attempts=1,
        failures=0,
        crashes=0,
        result=result,
        started=12.25,
        ended=12.5,
    )


@pytest.fixture
def wills(tmp_path: Path) -> Wills:
    return Wills(tmp_path / "wills")


@pytest.fixture
def will(wills: Wills) -> Iterator[Will]:
    """The will of a worker that lives."""
    will = wills.begin(WORKER)
    assert will is not None
    yield will
    will.close(executed=True)


def test_ends_are_read_as_they_were_written(wills: Wills, will: Will) -> None:
    first, second, third = end(), end(result='"ü"'), end()._replace(state=State.SCHEDULED, delay=2)

    will.write([first, second])
    will.write([third])

    assert [*wills.ends(WORKER).values()] == [first, second, third]
    assert wills.ends(WORKER)[(second.id, second.fence)] == second


def test_of_whom_nobody_heard_there_is_nothing_to_read(wills: Wills, will: Will) -> None:
    will.write([])

    assert wills.ends(WORKER) == {}
    assert wills.ends(WorkerId("somebody")) == {}


def test_the_will_of_the_living_is_no_will_yet(wills: Wills, will: Will) -> None:
    will.write([end()])

    assert wills.left() == []


def test_a_killed_process_leaves_what_it_wrote(wills: Wills, tmp_path: Path) -> None:
    folder = tmp_path / "wills"
    command = [sys.executable, "-c", WRITER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env=ENVIRON) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()

        writer.send_signal(signal.SIGKILL)

    assert [one.fence for one in wills.ends(WORKER).values()] == [7]
    assert wills.left() == [WORKER]
    wills.forget(WORKER)
    assert wills.left() == []
    assert not folder.exists()


def test_who_has_settled_everything_leaves_nothing(wills: Wills, tmp_path: Path) -> None:
    will = wills.begin(WORKER)
    assert will is not None
    will.write([end()])

    will.close(executed=True)

    assert wills.ends(WORKER) == {}
    assert [*tmp_path.iterdir()] == []


def test_what_was_said_last_is_there_however_much_was_said_before(wills: Wills, will: Will) -> None:
    ends = [end(fence) for fence in range(8_000)]  # more than two pages of them

    for start in range(0, len(ends), 50):
        will.write(ends[start : start + 50])

    read = wills.ends(WORKER).values()
    assert {one.fence for one in read} >= {one.fence for one in ends[-1_000:]}
    assert {one.id for one in read} < {one.id for one in ends}


def test_a_large_batch_is_written_in_parts(wills: Wills, will: Will) -> None:
    ends = [end(fence, result="1" * (PAGE // 8)) for fence in range(10)]

    will.write(ends)

    assert {one.fence for one in wills.ends(WORKER).values()} >= {6, 7, 8, 9}


def test_an_end_without_room_is_left_out_alone(wills: Wills, will: Will) -> None:
    large = end(fence=2, result="1" * PAGE)

    will.write([end(fence=1), large, end(fence=3)])

    assert {one.fence for one in wills.ends(WORKER).values()} == {1, 3}


@pytest.mark.parametrize("lost", [1, 40, 120])
def test_of_a_torn_entry_nothing_is_believed(wills: Wills, tmp_path: Path, lost: int) -> None:
    will = wills.begin(WORKER)
    assert will is not None
    whole = end()
    will.write([whole])
    will.write([end()])
    [file] = (tmp_path / "wills").iterdir()

    file.write_bytes(file.read_bytes()[:-lost])

    assert [*wills.ends(WORKER).values()] == [whole]
    will.close(executed=True)


def test_without_room_nothing_is_written_and_nothing_breaks(
    wills: Wills, will: Will, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.pwrite", full)
        will.write([end()])
    will.write([end()])

    assert wills.ends(WORKER) == {}


def test_where_no_file_can_be_made_there_is_no_will(
    wills: Wills, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: LifeLock) -> int:
        raise PermissionError

    monkeypatch.setattr(LifeLock, "hold", refused)

    assert wills.begin(WORKER) is None
