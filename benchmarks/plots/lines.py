"""Our own figures as lines: what changes as something grows, on each store."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from benchmarks.figure import number
from benchmarks.kept import Figure, Own
from benchmarks.plots.bars import beside, under_title
from benchmarks.plots.ink import OTHER, OURS, RULE, Ink, drawing

FLAT = 0.15


class Store(NamedTuple):
    """Whose line it is."""

    name: str
    ink: Ink


STORES = (Store("PostgreSQL", OURS), Store("SQLite", OTHER))
# Points from a line to its numbers.
APART = 11


class Panel(NamedTuple):
    """Figures of one kind: what stands below each, and what it is called."""

    title: str
    unit: str
    points: dict[str, str]
    shares: bool = False  # of one, with a band that shows what is taken for the same
    powers: bool = False  # whether it is a scale of powers


class Lines(NamedTuple):
    """A picture of panels that stand side by side."""

    name: str
    title: str
    panels: tuple[Panel, ...]


WAITING = {label: f"growth, {label} waiting" for label in ("10 k", "100 k", "1 M", "5 M")}
FINISHED = {"none": "growth, 100 k waiting"} | {
    label: f"growth, {label} finished" for label in ("1 M", "10 M")
}
WORKERS = {"1": "workers, 1 process"} | {str(n): f"workers, {n} processes" for n in (2, 4, 8)}
QUEUES = {n: f"queues, {n}" for n in ("1", "10", "100", "1,000")}
PAYLOADS = {size: f"payload of {size}" for size in ("100 B", "1 kB", "10 kB", "100 kB")}


def of(points: dict[str, str], kind: str) -> dict[str, str]:
    """The same points of a figure beside the first."""
    return {label: f"{name}, {kind}" for label, name in points.items()}


RATE, CPU = "jobs/s", "µs of CPU time a job"
BESIDE = "CPU beside its base"
LONGER = {label: name for label, name in WAITING.items() if label != "10 k"}
PILED_UP = {label: name for label, name in FINISHED.items() if label != "none"}
LINES = (
    Lines(
        "growth",
        "CPU time of a job by how many wait, and by how many have finished; the band is ± 15 %",
        (
            Panel("Jobs that wait", "times that beside 10 k", of(LONGER, BESIDE), shares=True),
            Panel(
                "Jobs that have finished",
                "times that beside none",
                of(PILED_UP, BESIDE),
                shares=True,
            ),
        ),
    ),
    Lines(
        "growth-rate",
        "Jobs a second by how many wait, and by how many have finished",
        (
            Panel("Jobs that wait", RATE, WAITING),
            Panel("Jobs that have finished", f"{RATE}; 100 k wait", FINISHED),
        ),
    ),
    Lines(
        "workers",
        "Jobs a second, and CPU time of a job, by processes of a worker",
        (
            Panel("Processes of a worker", RATE, WORKERS),
            Panel("Processes of a worker", CPU, of(WORKERS, "CPU")),
        ),
    ),
    Lines(
        "queues",
        "Jobs a second, and CPU time of a job, by queues",
        (Panel("Queues", RATE, QUEUES), Panel("Queues", CPU, of(QUEUES, "CPU"))),
    ),
    Lines(
        "payloads",
        "Jobs enqueued and run a second, by size of payload",
        (
            Panel("Enqueue by size of payload", RATE, of(PAYLOADS, "enqueue"), powers=True),
            Panel("Drain by size of payload", RATE, PAYLOADS, powers=True),
        ),
    ),
)


def draw(path: Path, lines: Lines, own: Own) -> None:
    """A panel for each kind of figure, a line for each store."""
    same = len({panel.unit.split(";")[0] for panel in lines.panels}) == 1
    with drawing(path, 7.6, 2.9) as figure:
        panels = figure.subplots(1, len(lines.panels), sharey=same)
        for axes, panel in zip(panels, lines.panels, strict=True):
            highest = [line(axes, panel, store, own) for store in STORES]
            scale(axes, panel, max(highest))
            axes.set_title(panel.title, pad=16)
            under_title(axes, panel.unit)
        stores = figure.axes[0].get_legend_handles_labels()
        figure.legend(*stores, loc="outside lower left", ncols=2, frameon=False)


def line(axes: Axes, panel: Panel, store: Store, own: Own) -> float:
    """Medians, and how far their samples were apart; answers with the highest."""
    found = {one.name: one for one in own.figures if one.store == store.name}
    figures = [(x, found[name]) for x, name in enumerate(panel.points.values()) if name in found]
    if not figures:
        return 0.0
    colour, medians = store.ink.light, [one.median for _, one in figures]
    if panel.shares:
        axes.fill_between(_edges(panel), 1 - FLAT, 1 + FLAT, color=RULE.light, alpha=0.4, lw=0)
    for x, one in figures:
        axes.plot([x, x], [min(one.samples), max(one.samples)], color=colour, lw=1)
        beside(axes, number(one.median), (x, one.median), (0, aside(one, own)), colour)
    axes.plot([x for x, _ in figures], medians, "o-", color=colour, ms=4, lw=1.6, label=store.name)
    return max(max(one.samples) for _, one in figures)


def aside(one: Figure, own: Own) -> int:
    """Where the number of the higher line is above it, and that of the other below."""
    others = [other for other in own.figures if other.name == one.name and other.store != one.store]
    lower = any((one.median, one.store) < (other.median, other.store) for other in others)
    return -APART if lower else APART


def scale(axes: Axes, panel: Panel, highest: float) -> None:
    """From nothing up, unless it is a scale of powers."""
    axes.set_xticks(range(len(panel.points)), list(panel.points))
    axes.set_xlim(*_edges(panel))
    axes.tick_params(left=False, bottom=False)
    axes.grid(visible=True, axis="y", color=RULE.light)
    axes.set_axisbelow(True)
    if panel.powers:
        axes.set_yscale("log")
        axes.margins(y=0.2)
    else:
        axes.set_ylim(0, max(axes.get_ylim()[1], highest * 1.2))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))


def _edges(panel: Panel) -> tuple[float, float]:
    return -0.4, len(panel.points) - 0.6
