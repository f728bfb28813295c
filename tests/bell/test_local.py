"""The bell of the embedded store, in one process and between two."""

import asyncio
import os
import socket
import sys
from pathlib import Path

import pytest

from tests.embedded import OwnClock
from tests.recorder import Recorder
from tests.waiting import until
from windlass.bell.base import EVERY, LATER, NEAR
from windlass.bell.local import SEEN, LocalBell
from windlass.clock import SystemChance, SystemClock
from windlass.core.herald import Herald
from windlass.observe.events import BellLost, BellRung

RINGER = """
import asyncio, sys
from pathlib import Path
from windlass.bell.local import LocalBell
from windlass.clock import SystemChance, SystemClock
from windlass.observe.events import Observers

folder, clock, chance = Path(sys.argv[1]), SystemClock(), SystemChance()
bell = LocalBell(folder, clock=clock, chance=chance, observer=Observers())
asyncio.run(bell.ring(sys.argv[2:]))
"""


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def bell(tmp_path: Path, recorder: Recorder) -> LocalBell:
    return LocalBell(
        tmp_path / "bells", clock=SystemClock(), chance=SystemChance(), observer=recorder
    )


def neighbour(bell: LocalBell) -> LocalBell:
    """A bell on the same folder that shares nothing else, as in another process."""
    return LocalBell(bell._folder, clock=SystemClock(), chance=SystemChance(), observer=Recorder())


async def test_a_ring_is_heard_in_the_same_process_without_a_folder(recorder: Recorder) -> None:
    bell = LocalBell(None, clock=SystemClock(), chance=SystemChance(), observer=recorder)

    async with bell.listen() as ear:
        await bell.ring(["mail"])

        assert await ear.wait() == ["mail"]
    assert recorder.of(BellRung) == [BellRung(["mail"])]


async def test_words_that_rang_before_anyone_looked_are_heard_once(bell: LocalBell) -> None:
    async with bell.listen() as ear:
        await bell.ring(["mail"])
        await bell.ring(["mail", LATER])

        assert await ear.wait() == ["mail", LATER]


async def test_a_ring_for_very_many_queues_is_a_ring_for_all(bell: LocalBell) -> None:
    async with bell.listen() as ear:
        await bell.ring([f"queue-{number}" for number in range(100)])

        assert await ear.wait() == [EVERY]


async def test_a_ring_is_heard_by_a_neighbour(bell: LocalBell) -> None:
    async with neighbour(bell).listen() as ear:
        await bell.ring(["mail"])

        assert await ear.wait() == ["mail"]


async def test_a_ring_of_more_than_eight_queues_reaches_neighbours_as_a_ring_for_all(
    bell: LocalBell,
) -> None:
    async with neighbour(bell).listen() as ear:
        await bell.ring([f"queue-{number}" for number in range(9)])

        assert await ear.wait() == [EVERY]


async def test_a_ring_is_heard_from_another_process(bell: LocalBell) -> None:
    async with bell.listen() as ear:
        assert await ear.wait() == [EVERY]
        ringer = await asyncio.create_subprocess_exec(
            sys.executable, "-c", RINGER, str(bell._folder), "mail"
        )

        assert await asyncio.wait_for(ear.wait(), 30) == ["mail"]
        assert await ringer.wait() == 0


async def test_who_is_overlooked_because_it_has_just_come_looks_by_itself(
    tmp_path: Path,
) -> None:
    clock = OwnClock()  # on which no time goes by
    bell = LocalBell(tmp_path, clock=clock, chance=SystemChance(), observer=Recorder())
    await bell.ring(["mail"])

    async with neighbour(bell).listen() as ear:
        await bell.ring(["mail"])
        overlooked = await asyncio.wait_for(ear.wait(), 20)
        clock.advance(2 * SEEN)
        await bell.ring(["mail"])
        heard = await asyncio.wait_for(ear.wait(), 20)

    assert (overlooked, heard) == ([EVERY], ["mail"])


async def test_a_ring_from_another_thread_wakes_the_listener(bell: LocalBell) -> None:
    async with bell.listen() as ear:
        await asyncio.to_thread(lambda: asyncio.run(bell.ring(["mail"])))

        assert await ear.wait() == ["mail"]


async def test_the_socket_of_a_dead_listener_is_removed(bell: LocalBell, tmp_path: Path) -> None:
    folder = tmp_path / "bells"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as dead:
        dead.bind(str(folder / "dead"))

    await bell.ring(["mail"])

    assert list(folder.iterdir()) == []


async def test_a_listener_that_never_looks_costs_the_ringer_nothing(bell: LocalBell) -> None:
    async with neighbour(bell).listen() as ear:
        assert await ear.wait() == [EVERY]
        for _ in range(2_000):
            await bell.ring(["mail"])

        assert await ear.wait() == ["mail"]


async def test_the_folder_is_private_and_left_empty(bell: LocalBell, tmp_path: Path) -> None:
    async with bell.listen():
        mode = (tmp_path / "bells").stat().st_mode & 0o777

    assert mode == 0o700
    assert list((tmp_path / "bells").iterdir()) == []


async def test_a_path_too_long_for_a_socket_is_replaced_by_a_short_one(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 90) / "bells"
    bell = LocalBell(long, clock=SystemClock(), chance=SystemChance(), observer=Recorder())

    async with neighbour(bell).listen() as ear:
        await bell.ring(["mail"])

        assert await ear.wait() == ["mail"]
    assert not long.exists()


async def test_a_folder_that_cannot_be_used_costs_only_the_neighbours(
    tmp_path: Path, recorder: Recorder
) -> None:
    (tmp_path / "bells").write_text("not a folder")
    bell = LocalBell(
        tmp_path / "bells", clock=SystemClock(), chance=SystemChance(), observer=recorder
    )

    async with bell.listen() as ear:
        await bell.ring(["mail"])

        assert await ear.wait() == ["mail"]
    await until(lambda: recorder.of(BellLost))


async def test_noise_on_the_socket_is_taken_for_a_ring_for_all(bell: LocalBell) -> None:
    async with bell.listen() as ear:
        [name] = bell._own
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(os.urandom(64), f"{bell._folder}/{name}")

        assert await ear.wait() == [EVERY]


async def test_there_is_a_herald_for_the_first_job_after_a_pause(bell: LocalBell) -> None:
    first = bell.herald(["mail"])
    await bell.ring(["mail"])
    next_one = bell.herald(["mail"])

    assert first == Herald()
    assert next_one is None


async def test_who_listens_by_name_is_near(bell: LocalBell) -> None:
    async with bell.listen("ada") as ear:
        assert await ear.wait() == [NEAR]


async def test_what_a_job_says_is_not_told_to_observers(
    bell: LocalBell, recorder: Recorder
) -> None:
    await bell.ring(['@handed ada 1 2 ["secret"]'])

    assert recorder.of(BellRung) == [BellRung(["@handed"])]
