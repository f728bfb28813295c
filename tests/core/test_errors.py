"""Errors say what to do, and are the errors that Python's users expect."""

import inspect

from windlass.core import errors
from windlass.core.errors import (
    BadPayload,
    BadResult,
    KeyTaken,
    NotFinished,
    PayloadTooLarge,
    StoreAway,
    UnknownJob,
    UnknownType,
    WindlassError,
    WrongState,
)


def test_every_error_stands_in_the_tree_of_the_module() -> None:
    classes = [
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, WindlassError)
    ]

    assert errors.__doc__ is not None
    assert [name for name in classes if name not in errors.__doc__] == []


def test_an_unknown_type_lists_the_known_ones() -> None:
    assert str(UnknownType("welcom", ["welcome", "bye"])) == (
        "no job type 'welcom'; known types: bye, welcome"
    )
    assert "none yet" in str(UnknownType("x", []))


def test_errors_are_caught_as_what_they_are() -> None:
    assert issubclass(UnknownJob, LookupError)
    assert issubclass(BadPayload, ValueError)
    assert issubclass(NotFinished, TimeoutError)


def test_errors_carry_their_facts() -> None:
    assert UnknownType("x", []).type == "x"
    assert BadPayload("x", "y").type == "x"
    assert BadResult("x", "y").type == "x"
    assert UnknownJob("1").id == "1"
    assert (WrongState("1", "running", "wait").id, WrongState("1", "a", "b").state) == ("1", "a")
    assert (KeyTaken("k", "1").key, KeyTaken("k", "1").id) == ("k", "1")
    assert (NotFinished("1", "running", 2).id, NotFinished("1", "a", 2).state) == ("1", "a")
    assert StoreAway("gone", ambiguous=True).ambiguous


def test_a_payload_over_the_limit_says_what_to_do() -> None:
    assert "pass a reference" in str(PayloadTooLarge(2_000_000, 1_048_576))
