"""The registry knows each type once, and a handler's verdicts say what they mean."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from windlass.core.errors import BadInput, UnknownType
from windlass.executors.base import Cancel, Discard, Registry, Retry, Snooze, Verdict
from windlass.executors.handlers import from_function, from_object


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


def test_executors_before_and_after_are_dressed_one_dress_over_the_other() -> None:
    registry = Registry()
    registry.add(from_function(one, {"queue": "sea"}))

    registry.dress(lambda known: replace(known, queue=f"inner {known.queue}"))
    registry.dress(lambda known: replace(known, queue=f"outer {known.queue}"))
    registry.provide(from_function(two, {"queue": "land"}))

    assert registry.get("one").queue == "outer inner sea"
    assert registry.get("two").queue == "outer inner land"


@pytest.mark.parametrize("first", ["added", "provided"])
def test_a_type_that_is_added_wins_over_one_that_is_provided(first: str) -> None:
    registry = Registry()
    own, ours = from_function(one, {}), from_function(two, {"type": "one"})

    if first == "added":
        registry.add(own)
    registry.provide(ours)
    before = registry.get("one")
    registry.add(own)

    assert before is (own if first == "added" else ours)
    assert registry.get("one") is own
    assert registry.types() == ["one"]


class Holding:
    """An executor that holds something open."""

    type = "holding"

    def __init__(self) -> None:
        self.closed = 0

    async def execute(self, payload: int) -> int:
        """Do nothing."""
        return payload

    async def close(self) -> None:
        """Let go."""
        self.closed += 1


class Closing(Holding):
    """Something with a `close` of its own, which is none of a worker's business."""

    type = "closing"

    def close(self) -> None:  # type: ignore[override]
        """Never called."""
        self.closed += 1


async def test_executors_let_go_of_what_they_hold_when_asked() -> None:
    registry = Registry()
    holding, closing = Holding(), Closing()
    registry.add(from_object(closing, {}))
    registry.add(from_function(one, {}))
    registry.provide(from_object(holding, {}))

    await registry.close()

    assert (holding.closed, closing.closed) == (1, 0)


async def test_an_executor_that_cannot_let_go_keeps_no_other_from_it() -> None:
    class Failing(Holding):
        type = "failing"

        async def close(self) -> None:
            raise OSError("broken pipe")

    registry = Registry()
    added, provided = Holding(), Holding()
    registry.add(from_object(added, {"type": "added"}))
    registry.add(from_object(Failing(), {}))
    registry.provide(from_object(provided, {}))

    with pytest.raises(OSError, match="broken pipe"):
        await registry.close()

    assert (added.closed, provided.closed) == (1, 1)


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
