"""Chunks are worked on side by side in processes, and none goes on when its attempt does not."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from tests.executors.attempts import Desk, context
from tests.waiting import until
from tests.worker import chunk_work
from tests.worker.yard import open_yard
from windlass.core.errors import BadInput, ClaimLost
from windlass.core.job import State
from windlass.executors.chunks import split
from windlass.executors.context import Context
from windlass.worker.parallel import HelperDied, HelperProcesses
from windlass.worker.trial import Cost, worth_helpers


@pytest.fixture
def helpers() -> Iterator[HelperProcesses]:
    helpers = HelperProcesses()
    yield helpers
    helpers.close()


class ToilClock:
    """Goes on only by the toil of this process."""

    def monotonic(self) -> float:
        """Seconds of toil."""
        return chunk_work.toiled()

    def now_us(self) -> int:
        """Nobody asks."""
        raise NotImplementedError


@pytest.fixture
def toiling() -> Iterator[HelperProcesses]:
    """Helpers to whom nothing costs time but toil."""
    helpers = HelperProcesses(ToilClock())
    yield helpers
    helpers.close()


def never() -> bool:
    """Nobody asks to stop."""
    return False


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait where there is no event loop."""
    asyncio.run(until(condition))


def alive() -> set[int]:
    """The helpers that there are."""
    return {child.pid for child in psutil.Process().children() if is_helper(child)}


def is_helper(process: psutil.Process) -> bool:
    """Whether it is one; the dead have forgotten what they were."""
    try:
        return "windlass.worker.helper" in process.cmdline()
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return False


@pytest.mark.parametrize("at_least", [1, 3, 40])
@pytest.mark.parametrize("at_once", [1, 2, 3, 8])
@pytest.mark.parametrize("size", [0, 1, 2, 7, 50, 5000])
def test_chunks_are_all_of_it_in_order_and_none_is_too_small(
    size: int, at_once: int, at_least: int
) -> None:
    chunks = split(range(size), at_once, at_least)

    assert [number for chunk in chunks for number in chunk] == list(range(size))
    assert all(len(chunk) >= at_least for chunk in chunks) or len(chunks) == 1


@pytest.mark.parametrize("at_once", [2, 3, 8])
def test_the_first_chunks_are_small_and_so_are_the_last(at_once: int) -> None:
    size = 1_000_000

    sizes = [len(chunk) for chunk in split(range(size), at_once)]

    assert sizes[0] < size / 1000
    assert all(after <= 16 * before for before, after in pairwise(sizes))
    assert max(sizes) <= size / at_once
    assert sizes[-1] <= size / (32 * at_once)
    assert len(sizes) < 10 * at_once


def test_a_few_items_are_taken_one_by_one() -> None:
    assert split("abc", 2) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("cost", "items", "at_once"),
    [
        (Cost(1e-6, 0.0), 10_000, 2),
        (Cost(1e-6, 0.4e-6), 1_000_000, 2),
        (Cost(1e-6, 0.6e-6), 1_000_000, 4),
    ],
)
def test_helpers_are_worth_it_if_all_is_done_sooner(cost: Cost, items: int, at_once: int) -> None:
    assert worth_helpers(cost, items, at_once, ready=True)


@pytest.mark.parametrize(
    ("cost", "items", "at_once"),
    [
        (Cost(1e-6, 0.0), 1_000, 2),  # done before a helper has its chunk
        (Cost(1e-6, 0.6e-6), 1_000_000, 2),  # the way is longer than half of the work
        (Cost(0.0, 0.0), 1_000_000, 8),
    ],
)
def test_helpers_are_not_worth_it_if_it_is_not(cost: Cost, items: int, at_once: int) -> None:
    assert not worth_helpers(cost, items, at_once, ready=True)


def test_helpers_are_worth_starting_for_more_than_their_start() -> None:
    assert not worth_helpers(Cost(1e-6, 0.0), 100_000, 2, ready=False)
    assert worth_helpers(Cost(1e-6, 0.0), 1_000_000, 2, ready=False)


def test_the_results_come_in_order(helpers: HelperProcesses) -> None:
    chunks = split(range(900), 10)

    results = helpers.share(chunk_work.squares, chunks, 2, never)

    assert results == [chunk_work.squares(chunk) for chunk in chunks]


def test_chunks_are_worked_on_at_the_same_time(helpers: HelperProcesses, tmp_path: Path) -> None:
    folder = tmp_path / "3"
    folder.mkdir()

    pids = helpers.share(chunk_work.meet, [[str(folder / name)] for name in "abc"], 3, never)

    assert len(set(pids)) == 3
    assert os.getpid() not in pids


def test_helpers_are_kept_for_the_next_chunks(helpers: HelperProcesses) -> None:
    first = helpers.share(chunk_work.pid, [[]] * 8, 2, never)
    second = helpers.share(chunk_work.pid, [[]] * 8, 2, never)

    assert set(first) | set(second) == alive()
    assert len(alive()) == 2


def test_a_helper_that_died_meanwhile_is_replaced(helpers: HelperProcesses) -> None:
    [first] = helpers.share(chunk_work.pid, [[]], 1, never)
    psutil.Process(first).kill()
    wait_for(lambda: not helpers._idle[0].alive)

    [second] = helpers.share(chunk_work.pid, [[]], 1, never)

    assert second != first


def test_light_work_on_many_items_stays_here(toiling: HelperProcesses) -> None:
    chunks = split(range(10_000), 2)

    pids = toiling.share(chunk_work.pid, chunks, 2, never)

    assert pids == [os.getpid()] * len(chunks)
    assert alive() == set()


def test_heavy_work_on_many_items_goes_to_helpers_after_the_first(
    toiling: HelperProcesses,
) -> None:
    chunks = split(range(10_000), 2)

    first, *others = toiling.share(chunk_work.toil, chunks, 2, never)

    assert first == os.getpid()
    assert set(others) == alive()
    assert len(others) == len(chunks) - 1


def test_work_that_proves_heavy_goes_to_helpers_then(toiling: HelperProcesses) -> None:
    numbers = [0] * 100 + [1] * 9_900  # the first chunk has 9, the second 144
    chunks = split(numbers, 2)

    pids = toiling.share(chunk_work.toil, chunks, 2, never)

    assert pids[:2] == [os.getpid()] * 2
    assert set(pids[2:]) == alive()


def test_light_work_stops_between_two_chunks(toiling: HelperProcesses) -> None:
    looks = iter([False, False, True])

    with pytest.raises(ClaimLost):
        toiling.share(chunk_work.pid, split(range(10_000), 2), 2, lambda: next(looks))


@pytest.mark.parametrize("size", [2, 10_000])
def test_a_result_that_cannot_travel_is_an_error_wherever_it_was_made(
    toiling: HelperProcesses, size: int
) -> None:
    with pytest.raises(TypeError, match="cannot be sent back"):
        toiling.share(chunk_work.unsendable, split(range(size), 2), 2, never)


def test_each_helper_computes_in_one_thread(helpers: HelperProcesses) -> None:
    assert helpers.share(chunk_work.threads, [[], []], 2, never) == ["1", "1"]


def test_arrays_travel_beside_the_pickle(helpers: HelperProcesses) -> None:
    array = np.arange(1_000_000.0)

    sums = helpers.share(chunk_work.total, split(array, 4), 2, never)

    assert sum(sums) == array.sum()


def test_an_error_of_one_chunk_stops_the_rest(helpers: HelperProcesses) -> None:
    with pytest.raises(LookupError, match="seven") as failed:
        helpers.share(chunk_work.fail, [[1], [7], [3]], 3, never)

    assert "chunk_work.py" in str(failed.value.__cause__)
    assert alive() == set()


def test_an_error_that_cannot_travel_says_what_it_was(helpers: HelperProcesses) -> None:
    with pytest.raises(RuntimeError, match="Retry: later"):
        helpers.share(chunk_work.odd, [[1]], 1, never)


def test_a_chunk_that_takes_its_process_down_is_an_error(helpers: HelperProcesses) -> None:
    with pytest.raises(HelperDied, match="code -11"):
        helpers.share(chunk_work.die, [[1], [2]], 2, never)

    assert alive() == set()


async def test_an_attempt_that_is_to_stop_stops_its_chunks(
    helpers: HelperProcesses, tmp_path: Path
) -> None:
    stop = threading.Event()
    places = [tmp_path / "a", tmp_path / "b"]
    task = asyncio.create_task(
        asyncio.to_thread(
            helpers.share, chunk_work.hang, [[str(place)] for place in places], 2, stop.is_set
        )
    )
    await until(lambda: all(place.exists() and place.read_text() for place in places))
    pids = [int(place.read_text()) for place in places]

    stop.set()
    with pytest.raises(ClaimLost):
        await task

    assert not any(map(psutil.pid_exists, pids))


# --- in a handler --------------------------------------------------------------------------------


def test_one_chunk_is_worked_on_right_here() -> None:
    ctx = context(threads=1)

    assert ctx.map_chunks(chunk_work.pid, [1, 2, 3]) == [os.getpid()]
    assert ctx.map_chunks(chunk_work.squares, []) == [0]
    assert ctx.map_chunks(chunk_work.squares, [3, 4], reduce=sum) == 25


@pytest.mark.parametrize(
    ("size", "at_least", "chunks"), [(100, 20, 5), (100, 30, 3), (100, 60, 1), (3, 1, 3), (0, 1, 1)]
)
def test_there_are_chunks_for_all_threads_if_they_are_worth_it(
    size: int, at_least: int, chunks: int
) -> None:
    desk = Desk()

    results = context(desk, threads=4).map_chunks(
        chunk_work.squares, range(size), at_least=at_least
    )

    assert len(results) == chunks
    assert desk.shared == (None if chunks == 1 else (chunks, 4))
    assert sum(results) == chunk_work.squares(range(size))


@pytest.mark.parametrize("threads", [1, 4])
def test_work_that_no_process_could_import_is_refused(threads: int) -> None:
    ctx = context(threads=threads)

    with pytest.raises(BadInput, match="at the top of a module"):
        ctx.map_chunks(lambda chunk: chunk, [1, 2])


async def test_a_coroutine_is_told_how_to_wait() -> None:
    ctx = context(threads=2)

    with pytest.raises(BadInput, match="to_thread"):
        ctx.map_chunks(chunk_work.squares, [1, 2])
    assert await asyncio.to_thread(ctx.map_chunks, chunk_work.squares, [1, 2]) == [1, 4]


async def test_a_job_is_worked_on_by_as_many_processes_as_it_was_granted_threads(
    sqlite_url: str, tmp_path: Path
) -> None:
    for threads in ("1", "3"):
        (tmp_path / threads).mkdir()
    async with open_yard(sqlite_url) as yard:

        def spread(ctx: Context) -> dict[str, Any]:
            places = [str(tmp_path / str(ctx.threads) / name) for name in "abc"[: ctx.threads]]
            pids = ctx.map_chunks(chunk_work.meet, places)
            return {"granted": ctx.threads, "processes": len(set(pids))}

        yard.handles(spread)
        async with yard.working(threads=3):
            wide = await yard.enqueue("spread", threads=3)
            narrow = await yard.enqueue("spread")
            jobs = await yard.come_to(State.COMPLETED, wide, narrow)

    assert [job.result for job in jobs] == [
        '{"granted":3,"processes":3}',
        '{"granted":1,"processes":1}',
    ]
    assert alive() == set()


async def test_a_job_that_is_cancelled_stops_its_chunks(sqlite_url: str, tmp_path: Path) -> None:
    places = [str(tmp_path / "a"), str(tmp_path / "b")]
    async with open_yard(sqlite_url) as yard:

        def slow(ctx: Context) -> None:
            ctx.map_chunks(chunk_work.hang, places)

        yard.handles(slow)
        async with yard.working(threads=2) as worker:
            job = await yard.enqueue("slow", threads=2)
            await until(lambda: all(Path(place).exists() for place in places))
            await yard.store.cancel([job])
            claim = (await yard.job(job)).fence
            worker.cancel(job, claim)
            await yard.come_to(State.CANCELLED, job)

    assert alive() == set()
