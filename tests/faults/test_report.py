"""What is told of the fault matrix is what was measured."""

from typing import Any

from tests.faults.line import Line
from tests.faults.matrix import LINES
from tests.faults.report import PAGE, renewed, row

LINE = Line(number="F99", fault="the moon falls", mark="lost 0", short="a bit", full="all of it")


def result(*, passed: bool = True) -> dict[str, Any]:
    test = {"passed": passed, "seconds": 1.0, "figures": {"lost": "0", "kills": "7"}}
    tests = {"test_it[sqlite]": test, "test_other": {**test, "figures": {}}}
    return {
        "dose": "full",
        "passed": passed,
        "seconds": 61.4,
        "date": "2026-11-15",
        "command": "script/faults F99",
        "tests": tests,
    }


def test_a_row_tells_what_was_done_what_must_hold_and_what_was_seen() -> None:
    assert row(LINE, result()) == (
        "| F99 | The moon falls | lost 0 |"
        " **holds** (all of it; 61 s, 2026-11-15). sqlite: lost 0, kills 7 |"
    )


def test_what_did_not_hold_is_not_hidden() -> None:
    told = row(LINE, result(passed=False))

    assert "**does not hold**" in told
    assert told.count("failed") == 2


def test_a_line_without_a_run_says_so() -> None:
    assert "not run yet" in row(LINE, None)


def test_the_page_keeps_everything_but_its_table() -> None:
    page = PAGE.read_text()

    again = renewed(page, {})

    assert [again.count(f"| {line.number} |") for line in LINES] == [1] * len(LINES)
    assert page.partition("<!--")[0] == again.partition("<!--")[0]
    assert page.rpartition("-->")[2] == again.rpartition("-->")[2]
