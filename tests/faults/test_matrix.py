"""The matrix is whole, and every test that it names exists."""

import ast
from pathlib import Path

from tests.faults.line import Line
from tests.faults.matrix import LINES

ROOT = Path(__file__).parents[2]


def test_every_line_is_there_once_and_in_order() -> None:
    assert [line.number for line in LINES] == [f"F{number:02}" for number in range(1, 38)]


def test_every_line_is_shown_or_says_why_not() -> None:
    assert [line.number for line in LINES if not line.tests and not line.reason] == []


def test_every_line_that_is_shown_says_its_doses() -> None:
    shown = [line for line in LINES if line.tests]

    assert [line.number for line in shown if not line.full] == []


def test_every_test_that_is_named_exists() -> None:
    assert [name for line in LINES for name in missing(line)] == []


def missing(line: Line) -> list[str]:
    """The tests of a line that are not there."""
    return [test for test in line.tests if not exists(*test.partition("::")[::2])]


def exists(path: str, name: str) -> bool:
    """Whether there is such a file, and in it such a function."""
    if not (ROOT / path).exists():
        return False
    tree = ast.parse((ROOT / path).read_text())
    functions = [
        node for node in tree.body if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)
    ]
    return not name or name.partition("[")[0] in {function.name for function in functions}
