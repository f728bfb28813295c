"""The registry knows each type once, and a handler's verdicts say what they mean."""

from datetime import timedelta

import pytest

from windlass.core.errors import BadInput, UnknownType
from windlass.executors.base import Cancel, Discard, Registry, Retry, Snooze, Verdict
from windlass.executors.handlers import from_function


def one() -> None:
    pass


def two() -> None:
    pass


def test_a_registered_type_is_found() -> None:
    registry = Registry()
    executor = from_function(one, {})

    registry.add(executor)

    assert registry.get("one") is executor
    assert registry.types() == ["one"]


def test_an_unknown_type_lists_the_known_ones() -> None:
    registry = Registry()
    registry.add(from_function(one, {}))

    with pytest.raises(UnknownType, match="no job type 'won'; known types: one"):
        registry.get("won")


def test_two_handlers_cannot_share_a_type() -> None:
    registry = Registry()
    registry.add(from_function(one, {}))

    with pytest.raises(BadInput, match=r"job type 'one' is .*:one already; give .*:two another"):
        registry.add(from_function(two, {"type": "one"}))


def test_the_same_handler_may_come_again() -> None:
    registry = Registry()
    registry.add(from_function(one, {}))
    again = from_function(one, {"queue": "other"})

    registry.add(again)

    assert registry.get("one") is again


def test_verdicts_carry_what_they_ask_for() -> None:
    assert Snooze(timedelta(minutes=1)).delay == 60
    assert Retry(after=5).after == 5
    assert str(Retry("rate limit", after=5)) == "rate limit"
    assert str(Discard("no such user")) == "no such user"
    assert isinstance(Cancel(), Verdict)


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_no_verdict_asks_for_what_cannot_be_waited_for(seconds: float) -> None:
    with pytest.raises(BadInput):
        Snooze(seconds)
    with pytest.raises(BadInput):
        Retry(after=seconds)
