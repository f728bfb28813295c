"""What piles up is acted upon at once, and each caller gets its own answer."""

import asyncio

import pytest

from tests.waiting import until
from windlass.app.pile import Pile


class Doubler:
    """Doubles numbers when the test says so."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.go = asyncio.Event()

    async def act(self, numbers: list[int]) -> list[int]:
        """Wait for the word, then answer."""
        self.batches.append(numbers)
        await self.go.wait()
        if 13 in numbers:
            raise ValueError("unlucky")
        return [2 * number for number in numbers]


async def test_what_came_meanwhile_goes_together() -> None:
    doubler = Doubler()
    pile = Pile(doubler.act)
    first = asyncio.create_task(pile.add(1))
    await until(lambda: doubler.batches)

    others = [asyncio.create_task(pile.add(number)) for number in range(2, 6)]
    await asyncio.sleep(0)
    doubler.go.set()

    assert await asyncio.gather(first, *others) == [2, 4, 6, 8, 10]
    assert doubler.batches == [[1], [2, 3, 4, 5]]


async def test_callers_of_one_moment_go_together_from_the_start() -> None:
    doubler = Doubler()
    doubler.go.set()
    pile = Pile(doubler.act)

    answers = await asyncio.gather(*(pile.add(number) for number in range(4)))

    assert answers == [0, 2, 4, 6]
    assert doubler.batches == [[0, 1, 2, 3]]


async def test_a_caller_that_goes_away_does_not_stop_the_others() -> None:
    doubler = Doubler()
    pile = Pile(doubler.act)
    going = asyncio.create_task(pile.add(1))
    staying = asyncio.create_task(pile.add(2))
    await until(lambda: doubler.batches)

    going.cancel()
    await asyncio.wait([going])
    doubler.go.set()

    assert await staying == 4
    assert going.cancelled()


async def test_an_action_without_callers_is_finished_all_the_same() -> None:
    doubler = Doubler()
    pile = Pile(doubler.act)
    going = asyncio.create_task(pile.add(13))
    await until(lambda: doubler.batches)

    going.cancel()
    await asyncio.wait([going])
    closing = asyncio.create_task(pile.close())
    await asyncio.sleep(0)
    assert not closing.done()
    doubler.go.set()

    await closing


async def test_an_action_that_fails_fails_for_its_callers_and_for_nobody_else() -> None:
    doubler = Doubler()
    doubler.go.set()
    pile = Pile(doubler.act)

    failed = await asyncio.gather(pile.add(13), pile.add(1), return_exceptions=True)

    assert [str(error) for error in failed] == ["unlucky", "unlucky"]
    assert await pile.add(4) == 8


async def test_each_of_many_callers_over_many_turns_is_answered_once() -> None:
    async def act(numbers: list[int]) -> list[int]:
        await asyncio.sleep(0)
        return numbers

    pile = Pile(act)

    async def caller(start: int) -> list[int]:
        return [await pile.add(number) for number in range(start, start + 50)]

    answers = await asyncio.gather(*(caller(1000 * n) for n in range(20)))

    assert answers == [list(range(1000 * n, 1000 * n + 50)) for n in range(20)]


async def test_a_close_waits_for_what_was_just_put_on_the_pile() -> None:
    doubler = Doubler()
    pile = Pile(doubler.act)
    caller = asyncio.create_task(pile.add(1))
    closing = asyncio.create_task(pile.close())  # before anybody could act

    await until(lambda: doubler.batches)
    early = closing.done()
    doubler.go.set()
    await closing

    assert not early
    assert await caller == 2


async def test_a_closed_pile_that_did_nothing_closes_at_once() -> None:
    pile = Pile(Doubler().act)

    async with asyncio.timeout(20):
        await pile.close()


@pytest.mark.parametrize("number", [1])
async def test_one_caller_is_one_action(number: int) -> None:
    doubler = Doubler()
    doubler.go.set()

    assert await Pile(doubler.act).add(number) == 2
    assert doubler.batches == [[1]]


async def test_nobody_waits_for_an_action_that_was_cut_short() -> None:
    doubler = Doubler()
    pile = Pile(doubler.act)
    acted_on = asyncio.create_task(pile.add(1))
    await until(lambda: doubler.batches)
    in_line = asyncio.create_task(pile.add(2))
    await asyncio.sleep(0)

    assert pile._acting is not None
    pile._acting.cancel()
    await asyncio.wait([acted_on, in_line])
    doubler.go.set()

    assert acted_on.cancelled()
    assert in_line.cancelled()
    assert await pile.add(3) == 6


class Onlooker:
    """Notes who acts, on what, and waits for the word after the first time."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.go.set()
        self.acts: list[tuple[bool, list[int]]] = []
        self.caller: asyncio.Task[int] | None = None

    async def act(self, numbers: list[int]) -> list[int]:
        """Answer once the word is given."""
        self.acts.append((asyncio.current_task() is self.caller, numbers))
        await self.go.wait()
        return numbers


async def alone_at(pile: Pile[int, int], onlooker: Onlooker) -> asyncio.Task[int]:
    """Somebody who comes after another lone caller, and acts until the word is given."""
    await pile.add(1)
    onlooker.go.clear()
    onlooker.caller = asyncio.create_task(pile.add(2))
    await until(lambda: len(onlooker.acts) == 2)
    return onlooker.caller


async def test_who_comes_alone_once_more_acts_for_itself() -> None:
    onlooker = Onlooker()
    caller = await alone_at(Pile(onlooker.act), onlooker)
    onlooker.go.set()

    assert await caller == 2
    assert onlooker.acts == [(False, [1]), (True, [2])]


async def test_who_comes_while_one_acts_for_itself_goes_together_with_all_who_do() -> None:
    onlooker = Onlooker()
    pile = Pile(onlooker.act)
    caller = await alone_at(pile, onlooker)
    others = [asyncio.create_task(pile.add(number)) for number in (3, 4)]
    await asyncio.sleep(0)
    onlooker.go.set()

    assert await asyncio.gather(caller, *others) == [2, 3, 4]
    assert onlooker.acts[2:] == [(False, [3, 4])]


async def test_who_acts_for_itself_and_goes_away_holds_nobody_up() -> None:
    onlooker = Onlooker()
    pile = Pile(onlooker.act)
    caller = await alone_at(pile, onlooker)
    other = asyncio.create_task(pile.add(3))
    await asyncio.sleep(0)

    caller.cancel()
    await until(lambda: len(onlooker.acts) == 3)
    onlooker.go.set()

    assert await other == 3
    assert caller.cancelled()


async def test_a_close_waits_for_who_acts_for_itself_and_for_those_behind() -> None:
    onlooker = Onlooker()
    pile = Pile(onlooker.act)
    caller = await alone_at(pile, onlooker)
    other = asyncio.create_task(pile.add(3))
    closing = asyncio.create_task(pile.close())
    await asyncio.sleep(0)
    early = closing.done()
    onlooker.go.set()
    await closing

    assert not early
    assert (caller.done(), len(onlooker.acts)) == (True, 3)
    assert await other == 3
