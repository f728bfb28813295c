"""A loop takes turn after turn, whatever befalls one of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from tests.waiting import until
from windlass.loop import Loop, Pace


class Chore:
    """Counts its turns; the first ones fail if it is told so."""

    def __init__(self, *, failures: int = 0, wants: float | None = None) -> None:
        self.turns = 0
        self.errors: list[tuple[str, Exception]] = []
        self._failures = failures
        self._wants = wants

    async def turn(self) -> float | None:
        """Count, and fail or not."""
        self.turns += 1
        if self.turns <= self._failures:
            raise ValueError(f"turn {self.turns}")
        return self._wants

    def loop(self, pace: Pace) -> Loop:
        """The chore, to be repeated."""
        return Loop("chore", pace, self.turn, chance=lambda: 0.0, report=self.report)

    def report(self, name: str, error: Exception) -> None:
        """Remember the error."""
        self.errors.append((name, error))


@asynccontextmanager
async def running(loop: Loop) -> AsyncIterator[None]:
    task = asyncio.create_task(loop.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_a_loop_takes_its_first_turn_at_once_and_the_next_at_its_time() -> None:
    chore = Chore()

    async with running(chore.loop(Pace(every=0.01))):
        await until(lambda: chore.turns >= 3)


async def test_a_turn_that_fails_is_reported_and_comes_again() -> None:
    chore = Chore(failures=2)

    async with running(chore.loop(Pace(every=0.01))):
        await until(lambda: chore.turns >= 3)

    assert [(name, str(error)) for name, error in chore.errors] == [
        ("chore", "turn 1"),
        ("chore", "turn 2"),
    ]


async def test_a_hurried_loop_does_not_wait_for_its_time() -> None:
    chore = Chore()
    loop = chore.loop(Pace(every=3600))

    async with running(loop):
        await until(lambda: chore.turns == 1)
        loop.hurry()
        await until(lambda: chore.turns == 2)


async def test_a_turn_says_when_it_wants_the_next_one() -> None:
    chore = Chore(wants=0.001)

    async with running(chore.loop(Pace(every=3600))):
        await until(lambda: chore.turns >= 3)


async def test_a_loop_that_waits_first_can_still_be_hurried() -> None:
    chore = Chore()
    loop = chore.loop(Pace(every=3600, wait_first=True))

    async with running(loop):
        await asyncio.sleep(0)
        before = chore.turns
        loop.hurry()
        await until(lambda: chore.turns == 1)

    assert before == 0


async def test_however_often_it_is_hurried_a_loop_takes_a_breath() -> None:
    chore = Chore()
    loop = chore.loop(Pace(every=3600, breath=0.02))
    began = asyncio.get_running_loop().time()

    async with running(loop):
        while chore.turns < 4:
            loop.hurry()
            await asyncio.sleep(0)

    assert asyncio.get_running_loop().time() - began >= 0.06


async def test_breaths_that_were_saved_up_let_a_few_turns_come_sooner() -> None:
    chore = Chore()
    loop = chore.loop(Pace(every=3600, breath=20, saved=3))

    async with running(loop), asyncio.timeout(15):
        while chore.turns < 4:
            loop.hurry()
            await asyncio.sleep(0)


async def test_saved_breaths_are_spent_once() -> None:
    chore = Chore()
    loop = chore.loop(Pace(every=3600, breath=0.02, saved=2))
    began = asyncio.get_running_loop().time()

    async with running(loop):
        while chore.turns < 8:
            loop.hurry()
            await asyncio.sleep(0)

    assert asyncio.get_running_loop().time() - began >= 0.08


async def test_cancelling_a_loop_ends_it_in_the_middle_of_a_turn() -> None:
    entered = asyncio.Event()

    async def turn() -> float | None:
        entered.set()
        await asyncio.Event().wait()
        return None

    loop = Loop("stuck", Pace(every=1), turn, chance=lambda: 0.0, report=lambda *_: None)

    async with running(loop):
        await entered.wait()


async def test_a_turn_that_fails_while_it_is_cancelled_ends_the_loop() -> None:
    begun = asyncio.Event()

    async def turn() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            raise OSError("the lock could not be let go of")

    chore = Chore()
    loop = Loop("chore", Pace(every=0.01), turn, chance=lambda: 0.0, report=chore.report)
    task = asyncio.create_task(loop.run())
    await begun.wait()
    task.cancel()
    await asyncio.wait([task], timeout=30)

    assert task.cancelled()
    assert chore.errors == []
