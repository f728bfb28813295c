"""The query grammar: words become a filter, or an error that says where and what would do."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.core.errors import BadInput, BadQuery
from windlass.core.job import JobId, State
from windlass.core.search import JobFilter, first_id, made_at, parse, payload_path

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", {}),
        ("  \n ", {}),
        ("status:failed", {"states": frozenset({State.FAILED})}),
        ("status:failed,cancelled", {"states": frozenset({State.FAILED, State.CANCELLED})}),
        ("type:email queue:mail", {"type": "email", "queue": "mail"}),
        ('name:"the last one" key:order:42', {"name": "the last one", "key": "order:42"}),
        ('error:"timed out"', {"error": "timed out"}),
        ("timed out", {"error": "timed out"}),
        ("ValueError: bad", {"error": "ValueError: bad"}),
        ("payload.a:NaN payload.b:1e999", {"payload": {"a": "NaN", "b": "1e999"}}),
        ('"type:email"', {"error": "type:email"}),
        ("payload.user.id:42", {"payload": {"user.id": 42}}),
        ('payload.user.id:"42"', {"payload": {"user.id": "42"}}),
        ("payload.a:true payload.b:null", {"payload": {"a": True, "b": None}}),
        ("payload.a:-1.5 payload.b:x", {"payload": {"a": -1.5, "b": "x"}}),
        ('payload.a:"" payload.b:"two\\nlines"', {"payload": {"a": "", "b": "two\nlines"}}),
        ("payload.a:[1]", {"payload": {"a": "[1]"}}),
        ("payload.items.0:x", {"payload": {"items.0": "x"}}),
        ("age:>10m", {"created_before": NOW - timedelta(minutes=10)}),
        ("age:<2h", {"created_after": NOW - timedelta(hours=2)}),
        ("created:>2026-11-01", {"created_after": datetime(2026, 11, 1, tzinfo=UTC)}),
        (
            "created:<2026-11-01T10:00+01:00",
            {"created_before": datetime(2026, 11, 1, 9, tzinfo=UTC)},
        ),
        (
            "created:2026-11-01",
            {
                "created_after": datetime(2026, 11, 1, tzinfo=UTC),
                "created_before": datetime(2026, 11, 2, tzinfo=UTC),
            },
        ),
        (
            'status:failed type:email age:<1d age:>1h payload.user.id:42 error:"\\"no\\""',
            {
                "states": frozenset({State.FAILED}),
                "type": "email",
                "created_after": NOW - timedelta(days=1),
                "created_before": NOW - timedelta(hours=1),
                "payload": {"user.id": 42},
                "error": '"no"',
            },
        ),
    ],
)
def test_words_become_a_filter(text: str, wanted: dict[str, Any]) -> None:
    assert parse(text, NOW) == JobFilter(**wanted)


@pytest.mark.parametrize(
    ("text", "position", "said"),
    [
        ("stat:failed", 1, "no field 'stat'; fields: status, type,"),
        ("type:a status:broken", 8, "no state 'broken'; states: scheduled, pending"),
        ("type:a  type:b", 9, "type is there twice"),
        ("payload.a:1 payload.a:2", 13, "payload.a is there twice"),
        ("error:x y", 9, "error is there twice"),
        ("payload..a:1", 1, "leads nowhere"),
        ("payload.0.1.2.3.4:1", 1, "at most 32 parts, 4 of them numbers"),
        ("payload." + "a." * 32 + "a:1", 1, "at most 32 parts"),
        (" ".join(f"payload.a{n}:1" for n in range(11)), 131, "at most 10 fields"),
        ("age:10m", 1, "age:>10m (older) or age:<2h (younger)"),
        ("age:>soon", 1, "'soon' is no duration"),
        ("created:>yesterday", 1, "'yesterday' is no time; write 2026-11-01"),
        ("created:10:00", 1, "created is a day, or compared"),
        ('error:"no end', 1, "has no end"),
        ("type:a status:", 8, "status: has no value"),
        ("payload.a: 1", 1, "payload.a: has no value"),
        ('payload.a:"\\u0000"', 1, "has a NUL or half a surrogate pair"),
        ('"\\ud800"', 1, "has a NUL or half a surrogate pair"),
        ('"a"b', 1, "cannot be read"),
        ('error:"\\x"', 1, "quoted badly"),
        ("x" * 1_001, 1, "at most 1,000 characters, not 1,001"),
        ("queue:@all", 1, "a queue's name may not"),
        ("type:" + "x" * 201, 1, "1 to 200 characters"),
        ("x" * 2_001, 2_000, "at most 2,000 characters"),
    ],
)
def test_what_cannot_be_read_says_where_and_what_would_do(
    text: str, position: int, said: str
) -> None:
    with pytest.raises(BadQuery) as caught:
        parse(text, NOW)

    assert caught.value.position == position
    assert str(caught.value).startswith(f"at character {position}: ")
    assert said in str(caught.value)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(BadQuery):
        assert parse(text, NOW).limit == JobFilter().limit


def test_a_filter_can_be_kept_as_json() -> None:
    which = parse("status:failed age:<2h payload.user.id:42 error:x", NOW)

    kept = msgspec.json.encode(which)

    assert msgspec.json.decode(kept, type=JobFilter) == which


@pytest.mark.parametrize("path", ["", "a..b", 'a"b', "a.-1", "a\n"])
def test_a_path_that_no_store_could_follow_is_refused(path: str) -> None:
    with pytest.raises(BadInput, match="leads nowhere"):
        payload_path(path)


def test_nothing_is_younger_than_the_last_day_there_is() -> None:
    which = parse("created:9999-12-31", NOW)

    assert which.created_after == datetime(9999, 12, 31, tzinfo=UTC)
    assert which.created_before is None


def test_ids_tell_when_they_were_made() -> None:
    moment = datetime(2026, 11, 15, 12, 0, 0, 123_000, tzinfo=UTC)

    first = first_id(moment)

    assert made_at(first) == moment
    assert made_at(JobId("01a1de7c-3114-7fff-8000-000000004e20")).year == 2026
    assert first_id(moment - timedelta(milliseconds=1)) < first
    assert first_id(datetime(1, 1, 1, tzinfo=UTC)) == JobId("00000000-0000-0000-0000-000000000000")
