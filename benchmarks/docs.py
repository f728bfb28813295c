"""Puts kept figures into docs/benchmarks.md: `python -m benchmarks.docs FIGURES.json …`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
BEGIN, END = "<!-- figures -->\n", "<!-- /figures -->\n"


class Kept(msgspec.Struct, frozen=True):
    """One figure, as `report.write` keeps it."""

    name: str
    store: str
    shown: str
    spread: str
    asked: str
    ratio: str
    share: str
    verdict: str


class Document(msgspec.Struct, frozen=True):
    """A run: the machine, and the figures."""

    machine: dict[str, str]
    figures: list[Kept]


def block(document: Document) -> str:
    """The figures as Markdown."""
    heads = ("measure", "store", "figure", "spread", "asked", "ratio", "asked", "verdict")
    rows = [
        (one.name, one.store, one.shown, one.spread, one.asked, one.ratio, one.share, one.verdict)
        for one in document.figures
    ]
    facts = [f"- {name}: {fact}" for name, fact in document.machine.items()]
    table = [_row(heads), _row("---" for _ in heads), *map(_row, rows)]
    return "\n".join([*facts, "", *table, ""])


def merged(documents: Iterable[Document]) -> Document:
    """Several runs as one; where two have the same figure the later counts."""
    machine: dict[str, str] = {}
    figures: dict[tuple[str, str], Kept] = {}
    for document in documents:
        machine |= document.machine
        figures |= {(one.name, one.store): one for one in document.figures}
    return Document(machine, list(figures.values()))


def main(files: list[str]) -> None:
    """Replace what stands between the two marks."""
    documents = [msgspec.json.decode(Path(file).read_bytes(), type=Document) for file in files]
    page = PAGE.read_text("utf-8")
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}{block(merged(documents))}{END}{after}", "utf-8")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main(sys.argv[1:])
