"""What others decide is asked for again in time, by one for all."""

import asyncio

import pytest

from tests.store.yard import OwnClock
from tests.waiting import until
from windlass.core.errors import StoreAway
from windlass.http.fresh import Ages, Fresh

AGES = Ages(fresh=2, between=1, good=60)


class Oracle:
    """Answers with numbers, when the test lets it."""

    def __init__(self) -> None:
        self.asked = 0
        self.away = False
        self.go = asyncio.Event()
        self.go.set()

    async def __call__(self, last: int | None) -> int:
        """The number after the last."""
        self.asked += 1
        await self.go.wait()
        if self.away:
            raise StoreAway("nobody is there")
        return (last or 0) + 1


@pytest.fixture
def clock() -> OwnClock:
    return OwnClock()


@pytest.fixture
def oracle() -> Oracle:
    return Oracle()


@pytest.fixture
def fresh(oracle: Oracle, clock: OwnClock) -> Fresh[int]:
    return Fresh(oracle, clock, AGES)


async def test_an_answer_is_kept_while_it_is_fresh(fresh: Fresh[int], clock: OwnClock) -> None:
    first = await fresh.get()
    clock.advance(1.9)
    kept = await fresh.get()
    clock.advance(0.1)
    renewed = await fresh.get()

    assert (first, kept, renewed) == (1, 1, 2)


async def test_while_one_asks_the_others_go_on_with_what_is_known(
    fresh: Fresh[int], oracle: Oracle, clock: OwnClock
) -> None:
    await fresh.get()
    clock.advance(2)
    oracle.go.clear()
    asking = asyncio.create_task(fresh.get())
    await until(lambda: oracle.asked == 2)

    others = await asyncio.gather(*(fresh.get() for _ in range(10)))
    oracle.go.set()

    assert others == [1] * 10
    assert await asking == 2


async def test_an_answer_outlives_an_outage_but_not_for_ever(
    fresh: Fresh[int], oracle: Oracle, clock: OwnClock
) -> None:
    await fresh.get()
    oracle.away = True

    clock.advance(59)
    kept = await fresh.get()
    clock.advance(1)

    assert kept == 1
    with pytest.raises(StoreAway):
        await fresh.get()


async def test_a_long_line_in_an_outage_asks_once(
    fresh: Fresh[int], oracle: Oracle, clock: OwnClock
) -> None:
    oracle.away = True
    oracle.go.clear()
    line = [asyncio.create_task(fresh.get()) for _ in range(50)]
    await until(lambda: oracle.asked == 1)
    clock.advance(5)

    oracle.go.set()
    ends = await asyncio.gather(*line, return_exceptions=True)

    assert oracle.asked == 1
    assert {type(end) for end in ends} == {StoreAway}


async def test_a_problem_that_is_told_to_many_holds_on_to_none_of_them(
    fresh: Fresh[int], oracle: Oracle
) -> None:
    oracle.away = True

    async def frames() -> int:
        with pytest.raises(StoreAway) as told:
            await fresh.get()
        return len(told.traceback)

    assert [await frames() for _ in range(3)] == [await frames()] * 3
    assert oracle.asked == 1


async def test_when_the_one_who_asks_is_interrupted_the_next_one_asks(
    fresh: Fresh[int], oracle: Oracle
) -> None:
    oracle.go.clear()
    first = asyncio.create_task(fresh.get())
    await until(lambda: oracle.asked == 1)
    second = asyncio.create_task(fresh.get())
    await asyncio.sleep(0)

    first.cancel()
    oracle.go.set()

    assert await second == 1
    assert oracle.asked == 2
