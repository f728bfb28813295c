"""Statements about many rows: one step each, whatever the rows leave out."""

import sqlite3
from typing import Any

import pytest

from windlass.store.queries import Query
from windlass.store.sqlite_batches import WIDEST, Batches

KEEP = Query(
    "keep",
    """
    with given (id, a, b) as (
        values (:id, :a, :b)
    )
    insert into kept (id, a, b, c) select id, a, b, :c from given where id is not null
    """,
)
COLUMNS = ("id", "a", "b")


def kept_by(rows: list[tuple[Any, ...]]) -> tuple[list[tuple[Any, ...]], int]:
    """What the rows become, and in how many steps."""
    connection = sqlite3.connect(":memory:")
    connection.execute("create table kept (id, a, b, c)")
    steps = list(Batches().steps(KEEP, {"c": "shared"}, COLUMNS, rows))
    for step in steps:
        connection.execute(step.text, step.values)
    found = connection.execute("select * from kept").fetchall()
    connection.close()
    return found, len(steps)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 100, WIDEST - 1, WIDEST, WIDEST + 1, 3 * WIDEST])
def test_every_row_is_bound_once_in_as_few_steps_as_can_be(count: int) -> None:
    rows = [(f"id{n}", n, f"b{n}") for n in range(count)]

    found, steps = kept_by(rows)

    assert found == [(*row, "shared") for row in rows]
    assert steps == -(-count // WIDEST)


@pytest.mark.parametrize(
    "rows",
    [
        [("x", None, None)],
        [("x", None, 1), ("y", None, 2)],
        [("x", 1, None), ("y", None, None), ("z", 3, None)],
        [("x", None, None), ("y", None, None), ("z", None, 5)],
        [("x", 0, ""), ("y", False, "0")],
    ],
)
def test_what_is_left_out_is_null(rows: list[tuple[Any, ...]]) -> None:
    found, _ = kept_by(rows)

    assert found == [(*row, "shared") for row in rows]


def test_no_rows_are_no_steps() -> None:
    assert kept_by([]) == ([], 0)


def test_texts_are_made_once() -> None:
    batches = Batches()
    first = [step.text for step in batches.steps(KEEP, {"c": 1}, COLUMNS, [("x", 1, 2)] * 5)]
    again = [step.text for step in batches.steps(KEEP, {"c": 1}, COLUMNS, [("y", 3, 4)] * 7)]

    # The same object, so that sqlite3 finds it prepared without reading it.
    assert first[0] is again[0]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("insert into kept values (:id, :a, 1)", "has no group"),
        ("insert into kept select :id, :a, :b", "has no group"),
        ("insert into kept values (:a, :id, :b)", "has no group"),
        ("select :c union all values (:id, :a, :b)", "before its `values`"),
    ],
)
def test_a_file_that_cannot_be_widened_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        list(Batches().steps(Query("odd", text), {"c": 1}, COLUMNS, [("x", 1, 2)]))
