"""Waiting ends with the event, and says what it waited for if that never comes."""

import pytest

from tests.waiting import until


async def test_it_returns_once_a_plain_or_an_async_condition_is_true() -> None:
    turns = iter([False, None, 0, True])

    async def turn() -> object:
        return next(turns)

    await until(turn)
    await until(lambda: "at once")


async def test_it_names_what_never_came() -> None:
    def the_ship_comes_in() -> bool:
        return False

    with pytest.raises(
        AssertionError, match=r"within 0\.01 s: .*the_ship_comes_in.*last seen: False"
    ):
        await until(the_ship_comes_in, at_most=0.01)
