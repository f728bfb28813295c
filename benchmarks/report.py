"""The figures as a table to read and as JSON to keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from rich.table import Table

from benchmarks.figure import Result, Verdict, number

COLOURS = {Verdict.REACHED: "green", Verdict.MISSED: "red", Verdict.SHOWN: "dim"}


def table(results: Sequence[Result]) -> Table:
    """One line per figure and database: the median, how far samples were apart, what was asked."""
    drawn = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for column in ("measure", "store", "figure", "spread", "asked", "ratio", "asked", "verdict"):
        right = column in ("figure", "ratio")
        drawn.add_column(column, justify="right" if right else "left", no_wrap=True)
    for result in results:
        colour = COLOURS[result.verdict]
        drawn.add_row(*cells(result), f"[{colour}]{result.verdict}[/]")
    return drawn


def cells(result: Result) -> tuple[str, ...]:
    """What stands in the line of a result, but for the verdict."""
    figure = result.figure
    return (
        figure.name,
        result.dialect.label,
        f"{number(result.median)} {figure.unit}",
        spread(result.samples),
        str(result.asked or ""),
        "" if result.ratio is None else f"{result.ratio:.2f} of {figure.base}",
        str(figure.share or "") if result.ratio is not None else "",
    )


def spread(samples: Sequence[float]) -> str:
    """The lowest and the highest sample, if there is more than one."""
    if len(samples) == 1:
        return ""
    return f"{number(min(samples))} to {number(max(samples))} ({len(samples)})"


def write(path: Path, machine: Mapping[str, str], results: Sequence[Result]) -> None:
    """Keep everything, samples included."""
    document = {"machine": machine, "figures": [_kept(result) for result in results]}
    path.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")


def _kept(result: Result) -> dict[str, object]:
    name, store, shown, apart, asked, ratio, share = cells(result)
    return {
        "name": name,
        "store": store,
        "unit": result.figure.unit,
        "median": result.median,
        "samples": list(result.samples),
        "base": list(result.base),
        "shown": shown,
        "spread": apart,
        "asked": asked,
        "ratio": ratio,
        "share": share,
        "verdict": result.verdict,
    }
