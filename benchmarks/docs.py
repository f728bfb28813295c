"""Puts kept figures and their pictures into docs/benchmarks.md: `python -m benchmarks.docs`.

It reads docs/figures/*.json, or the files that it is given; where two of them have the same figure,
the later counts.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchmarks.figure import number
from benchmarks.kept import Cell, Comparison, Own, Side, read
from benchmarks.peers.header import SIDES
from benchmarks.peers.header import read as header
from benchmarks.peers.marks import Ruling, rulings
from benchmarks.peers.measure import Figure, Sample
from benchmarks.peers.measures import MEASURES
from benchmarks.peers.outcome import Outcome
from benchmarks.peers.report import TABLES
from benchmarks.plots.draw import IMAGES, draw

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "benchmarks.md"
FIGURES = DOCS / "figures"
SHORT = 3  # a note that fits beside its figure
COLUMNS = {figure.name: figure for measure in MEASURES.values() for figure in measure.figures}


def main(files: Sequence[str]) -> None:
    """Draw the pictures, and replace what stands between marks."""
    kept = read([Path(file) for file in files] or sorted(FIGURES.glob("*.json")))
    page = PAGE.read_text("utf-8")
    if kept.comparison is not None:
        page = put(page, "comparison", comparison(kept.comparison))
        page = put(page, "setups", setups(kept.comparison.sides))
    if kept.own is not None:
        page = put(page, "figures", own(kept.own))
    for path, title in draw(kept, IMAGES):
        page = put(page, path.name, [f"![{title}](images/{path.name})"])
    PAGE.write_text(page, "utf-8")


def put(page: str, mark: str, lines: Iterable[str]) -> str:
    """The page with these lines between the marks of this name, if it has such marks."""
    between = re.compile(
        rf"(<!-- {re.escape(mark)} -->\n).*?(<!-- /{re.escape(mark)} -->\n)", re.DOTALL
    )
    text = "".join(f"{line}\n" for line in lines)
    return between.sub(lambda found: f"{found[1]}{text}{found[2]}", page)


def comparison(run: Comparison) -> Iterator[str]:
    """Whether we did what is asked, the tables, and what they have no room for."""
    yield from facts(run.machine)
    finals = f", and {run.finals} more of the sides that decide a mark" if run.finals else ""
    rounds = f"medians of up to {run.rounds} interleaved rounds{finals}"
    yield f"- run: {run.when[:10]}, {run.scale}, {rounds}"
    if judged := [verdict(one) for one in rulings(rebuilt(run))]:
        yield ""
        yield from table(("asked", "of", "ours", "best peer", "ratio", "verdict"), judged)
    for title, names in TABLES:
        columns = [COLUMNS[name] for name in names if run.cells(name)]
        if columns:
            yield from ("", f"**{title}**", "")
            heads = (f"{column.title}, {column.unit}" for column in columns)
            yield from table(("side", *heads), rows(run, columns))
    yield from ("", *(f"- {note}" for note in notes(run)))


def rebuilt(run: Comparison) -> Outcome:
    """The outcome of all runs together, so that verdicts are about the figures shown."""
    headers = [header(file) for one in run.sides if (file := SIDES / f"{one.side}.py").exists()]
    outcome = Outcome(headers, list(MEASURES.values()), run.rounds)
    known = {one.side: one for one in headers}
    for cell in run.figures:
        values: list[float | None] = [*cell.samples] or [None]
        for turn, value in zip(cell.rounds or range(len(values)), values, strict=True):
            if cell.side in known:
                outcome.round = turn
                outcome.add(known[cell.side], Sample(cell.figure, value, cell.note))
    return outcome


def verdict(ruling: Ruling) -> Sequence[str]:
    """A line about one mark."""
    return (
        ruling.mark.asked,
        ruling.mark.ours,
        "-" if ruling.value is None else number(ruling.value),
        "" if ruling.against is None else f"{ruling.peer} {number(ruling.against)}",
        "" if ruling.ratio is None else f"{ruling.ratio:.2f}",
        ruling.verdict,
    )


def rows(run: Comparison, columns: Sequence[Figure]) -> Iterator[Sequence[str]]:
    """A line for each side that took part, with the best of each column in bold."""
    by_column = [run.cells(column.name) for column in columns]
    best = [best_of(run, column) for column in columns]
    for side in run.sides:
        cells = [found.get(side.side) for found in by_column]
        if any(cells):
            pairs = zip(cells, best, strict=True)
            yield (called(side), *(cell_text(cell, leader) for cell, leader in pairs))


def best_of(run: Comparison, column: Figure) -> float | None:
    """What the best side has; where jobs are counted many are best, and it needs no saying."""
    rated = run.best_first(column.name)
    return rated[0][1].median if rated and column.unit != "jobs" else None


def called(side: Side) -> str:
    return f"**{side.name}**" if side.ours else side.name


def cell_text(cell: Cell | None, best: float | None) -> str:
    """The median with a mark that leads to a note, or a dash."""
    if cell is None or cell.median is None:
        return "-"
    counted = f"{cell.median:,.0f}" if cell.unit == "jobs" else number(cell.median)
    mark = cell.note if len(cell.note) <= SHORT else "*"
    return f"**{counted}**{mark}" if cell.median == best else counted + mark


def notes(run: Comparison) -> Iterator[str]:
    """What the tables have no room for."""
    yield "Bold is the best of a column; † has no bulk call and sends 100 jobs at once instead."
    names = {side.side: side.name for side in run.sides}
    for side in run.sides:
        if side.broken:
            yield f"{side.name} could not take part: {side.broken}"
    told: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for cell in run.figures:
        if len(cell.note) > SHORT:
            told[f"{cell.measure}: {cell.note}"][names[cell.side]] = None
    for note, sides in told.items():
        yield f"{note} ({', '.join(sides)})"


def setups(sides: Iterable[Side]) -> Iterator[str]:
    """With what each side ran."""
    return table(
        ("side", "versions", "store", "durable", "set-up"),
        (
            (
                side.name,
                ", ".join(f"{name} {version}" for name, version in side.versions.items()),
                side.store,
                "yes" if side.durable else "no",
                side.setup,
            )
            for side in sides
        ),
    )


def own(run: Own) -> Iterator[str]:
    """The machine, and a line for each figure and store."""
    yield from facts(run.machine)
    yield ""
    yield from table(
        ("measure", "store", "figure", "spread", "asked", "ratio", "asked", "verdict"),
        (
            (
                *(one.name, one.store, one.shown, one.spread),
                *(one.asked, one.ratio, one.share, one.verdict),
            )
            for one in run.figures
        ),
    )


def facts(machine: dict[str, str]) -> Iterator[str]:
    """What it was measured on."""
    return (f"- {name}: {fact}" for name, fact in machine.items())


def table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> Iterator[str]:
    """As Markdown."""
    for cells in (heads, ["---"] * len(heads), *lines):
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main(sys.argv[1:])
