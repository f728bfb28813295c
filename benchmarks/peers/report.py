"""The comparison as tables to read and as JSON to keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from rich.table import Table

from benchmarks.figure import number
from benchmarks.peers.comparison import Plan
from benchmarks.peers.header import Header
from benchmarks.peers.marks import Ruling, rulings
from benchmarks.peers.measure import shown
from benchmarks.peers.outcome import Cell, Outcome
from benchmarks.report import COLOURS

# Which figures stand in one table.
TABLES = (
    ("Jobs a second", ("enqueue", "bulk", "drain", "drain_sync", "mixed", "retries")),
    (
        "Waiting, and what it costs",
        (
            *("pickup_p50", "pickup_p99", "retries_late_p50", "retries_late_p99"),
            *("drain_cpu", "startup", "memory_rss", "memory_pss", "idle", "idle_store"),
        ),
    ),
    (
        "After kill -9 of all workers",
        (
            *("kill_in_flight", "kill_not_done", "kill_twice", "kill_recovery"),
            *("effects_missing", "effects_twice"),
        ),
    ),
)
SHORT = 3  # a note that fits beside its figure


def tables(outcome: Outcome) -> Iterator[Table]:
    """Three, if all was measured: a line for each side, a column for each figure."""
    cells = {(cell.header.side, cell.figure.name): cell for cell in outcome.cells()}
    titles = {cell.figure.name: cell.figure for cell in cells.values()}
    for title, names in TABLES:
        shown = [titles[name] for name in names if name in titles]
        if shown:
            drawn = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
            drawn.add_column("side", no_wrap=True)
            for figure in shown:
                drawn.add_column(f"{figure.title}\n{figure.unit}", justify="right", no_wrap=True)
            for header in outcome.headers:
                row = [cells.get((header.side, figure.name)) for figure in shown]
                drawn.add_row(header.name, *map(text, row), style="bold" if header.ours else "")
            yield drawn


def text(cell: Cell | None) -> str:
    """The median, how far samples were from it, and a mark that leads to a note."""
    if cell is None or cell.median is None:
        return "-"
    note = cell.note if len(cell.note) <= SHORT else "*"
    apart = max(abs(one - cell.median) for one in cell.samples)
    spread = f" ±{100 * apart / cell.median:.0f}%" if len(cell.samples) > 1 and cell.median else ""
    return f"{shown(cell.median, cell.figure.unit)}{note}{spread}"


def notes(outcome: Outcome) -> Iterator[str]:
    """What the tables have no room for."""
    for side, why in outcome.broken.items():
        yield f"{side} {why}"
    alike: dict[tuple[str, str], dict[str, None]] = {}
    for cell in outcome.cells():
        if len(cell.note) > SHORT:
            alike.setdefault((cell.measure, cell.note), {})[cell.header.name] = None
    for (measure, note), names in alike.items():
        yield f"{measure}: {note} ({', '.join(names)})"
    if any(cell.note == "†" for cell in outcome.cells()):
        yield "† no bulk call: 100 awaits at once"


def judged(found: Iterable[Ruling]) -> Table:
    """A line for each mark."""
    drawn = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for column in ("asked", "ours", "peer", "", "ratio", "verdict"):
        right = column in ("ours", "", "ratio")
        drawn.add_column(column, justify="right" if right else "left", no_wrap=True)
    for ruling in found:
        colour = COLOURS[ruling.verdict]
        drawn.add_row(
            f"{ruling.mark.asked} [dim]{ruling.mark.ours}[/]",
            "-" if ruling.value is None else number(ruling.value),
            ruling.peer,
            "" if ruling.against is None else number(ruling.against),
            "" if ruling.ratio is None else f"{ruling.ratio:.2f}",
            f"[{colour}]{ruling.verdict}[/]",
        )
    return drawn


def write(path: Path, machine: Mapping[str, str], plan: Plan, outcome: Outcome) -> None:
    """Keep everything, samples included."""
    document = {
        "machine": machine,
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "scale": plan.scale.name,
        "rounds": plan.rounds,
        "finals": plan.finals,
        "sides": [_side(header, outcome.broken.get(header.side, "")) for header in plan.headers],
        "figures": [_figure(cell) for cell in outcome.cells()],
        "verdicts": [_verdict(ruling) for ruling in rulings(outcome)],
    }
    path.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")


def _side(header: Header, broken: str) -> dict[str, Any]:
    return {
        "side": header.side,
        "name": header.name,
        "ours": header.ours,
        "store": header.store,
        "durable": header.durable,
        "setup": header.setup,
        "versions": {"windlass": version("windlass")} if header.ours else header.versions(),
        "broken": broken,
    }


def _figure(cell: Cell) -> dict[str, Any]:
    return {
        "side": cell.header.side,
        "measure": cell.measure,
        "figure": cell.figure.name,
        "unit": cell.figure.unit,
        "better": cell.figure.better,
        "median": cell.median,
        "samples": list(cell.samples),
        "rounds": list(cell.rounds),
        "note": cell.note,
    }


def _verdict(ruling: Ruling) -> dict[str, Any]:
    return {
        "asked": ruling.mark.asked,
        "ours": ruling.mark.ours,
        "value": ruling.value,
        "peer": ruling.peer,
        "against": ruling.against,
        "ratio": ruling.ratio,
        "verdict": ruling.verdict,
    }
