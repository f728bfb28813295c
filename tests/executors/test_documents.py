"""The gate of every payload and result."""

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from windlass.executors import documents

texts = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=10)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(-1e300, 1e300) | texts,
    lambda children: st.lists(children) | st.dictionaries(texts, children),
    max_leaves=20,
)


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


@given(json_values)
def test_a_json_value_is_read_back_as_it_was_written(value: object) -> None:
    assert documents.read(documents.write(value)) == value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (math.nan, "NaN or Infinity"),
        ({"a": [1, {"b": math.inf}]}, "NaN or Infinity"),
        ({"a": (None, -math.inf)}, "NaN or Infinity"),
        ("a\x00b", "NUL character"),
        ({"\x00": 1}, "NUL character"),
        ("\\\x00", "NUL character"),
        ("\ud800", "surrogate"),
        ({"a": object()}, "object is no JSON"),
        ({(1, 2): 3}, "tuple is no JSON"),
        (nested(65), "deeper than 64"),
        (nested(2000), "deeper than 64"),
    ],
)
def test_what_a_database_would_change_or_refuse_is_refused_here(value: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        documents.write(value)


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"a": None},
        r"\u0000 is how NUL is written",
        "\\\\u0000",
        nested(64),
        [[] for _ in range(1000)],
        {"text": "{[" * 100},
    ],
)
def test_what_only_looks_dangerous_passes(value: object) -> None:
    assert documents.read(documents.write(value)) == value


def test_a_document_of_a_mebibyte_passes_and_one_byte_more_does_not() -> None:
    fits = "a" * (documents.LIMIT - 2)

    assert len(documents.write(fits)) == documents.LIMIT
    with pytest.raises(documents.TooLarge, match="1,048,577 bytes"):
        documents.write(fits + "a")
    with pytest.raises(documents.TooLarge):
        documents.read(b" " * (documents.LIMIT + 1))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"{", "truncated"),
        (b"NaN", "malformed"),
        (b'"\xff"', "UTF-8"),
        (b"[" * 100_000, "deeper than 64"),
        (b"1e999", "out of range"),
        (b"", "truncated"),
    ],
)
def test_what_is_no_json_is_refused_with_the_reason(text: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        documents.read(text)


def test_a_model_of_pydantic_is_written_as_it_would_write_itself() -> None:
    class Price(BaseModel):
        amount: Decimal

    assert documents.write([Price(amount=Decimal("1.50"))]) == '[{"amount":"1.50"}]'


def test_a_number_that_a_model_hides_is_found_all_the_same() -> None:
    class Reading(BaseModel):
        value: Any

        def model_dump(self, **_: Any) -> dict[str, Any]:
            return {"value": self.value}

    with pytest.raises(ValueError, match="NaN"):
        documents.write(Reading(value=math.nan))


def test_a_type_that_nothing_knows_is_named() -> None:
    with pytest.raises(TypeError, match="nothing says how to make a complex"):
        documents.from_plain(complex, 1)
