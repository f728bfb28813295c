"""Writes what the last runs of the fault matrix showed into docs/reliability.md.

`python -m tests.faults.report`; script/faults does it after each run.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.faults.line import Line
from tests.faults.matrix import LINES

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "faults.json"
PAGE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"


def main() -> None:
    """Bring the table of the page up to date."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    PAGE.write_text(renewed(PAGE.read_text(), results))


def renewed(page: str, results: Mapping[str, Any]) -> str:
    """The page with the table of these results."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table(results)}\n{END}{after}"


def table(results: Mapping[str, Any]) -> str:
    """One row for each line of the matrix."""
    head = "| | what happens | what must hold | last run |\n| --- | --- | --- | --- |\n"
    return head + "".join(f"{row(line, results.get(line.number))}\n" for line in LINES)


def row(line: Line, result: Mapping[str, Any] | None) -> str:
    """What is done, what must hold, and what was seen."""
    told = seen(line, result) if result else line.reason or "not run yet in its full dose"
    cells = (line.number, capital(line.fault), line.mark, told)
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def seen(line: Line, result: Mapping[str, Any]) -> str:
    """The verdict with its figures, and why it may be less than was asked for."""
    dose = (line.full if result["dose"] == "full" else line.short) or result["dose"]
    verdict = "**holds**" if result["passed"] else "**does not hold**"
    told = "; ".join(figures(result["tests"]))
    load = f", load {result['load']}" if "load" in result else ""
    parts = [f"{verdict} ({dose}; {result['seconds']:.0f} s, {result['date']}{load})", told]
    parts.append(line.reason)
    return ". ".join(part for part in parts if part)


def figures(tests: Mapping[str, Any]) -> Iterator[str]:
    """What each test measured; tests that differ only by their parameter are told apart by it."""
    for name, test in tests.items():
        told = [f"{what} {value}" for what, value in test["figures"].items()]
        if not test["passed"]:
            told.append("failed")
        if told:
            yield f"{parameter(name)}{', '.join(told)}"


def parameter(name: str) -> str:
    """What is in the brackets of a test's name."""
    found = re.search(r"\[(.+)\]$", name)
    return f"{found[1]}: " if found else ""


def capital(text: str) -> str:
    """The text as a sentence begins."""
    return text[:1].upper() + text[1:]


if __name__ == "__main__":
    main()
