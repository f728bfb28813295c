"""The fleet's figures as Prometheus metrics: totals that only grow, and what is live."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from windlass.core.census import RETRIED, REVIVED, Census, Line, Pair, Total, label, named
from windlass.core.job import State

SECOND_US = 1_000_000

Value: TypeAlias = Callable[[Total], float]


class Figures(Struct, frozen=True, kw_only=True):
    """What the store tells of the fleet."""

    totals: Sequence[Total]
    census: Census
    nodes: int = 0
    workers: int = 0
    slots: int = 0


class FleetMetrics(Collector):
    """Tells figures as metrics; without any, that the store did not answer."""

    def __init__(self, figures: Figures | None) -> None:
        """Take what was read."""
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        """Every metric."""
        figures = self._figures
        yield _gauge("store_up", "Whether the store answered.", figures is not None)
        if figures is None:
            return
        yield from _counters(figures)
        yield from _gauges(figures)


def _counters(figures: Figures) -> Iterator[Metric]:
    lines = figures.census.lines
    names = named([(line.queue, line.type) for line in lines], figures.totals)
    submitted = {(line.queue, line.type): float(line.submitted) for line in lines}
    yield _counter("jobs_submitted", "Jobs submitted.", names, submitted)
    for name, text, states, value in COUNTERS:
        sums: defaultdict[Pair, float] = defaultdict(float)
        for total in figures.totals:
            if total.state in states:
                sums[label(total, names)] += value(total)
        yield _counter(name, text, names, sums)


def _gauges(figures: Figures) -> Iterator[Metric]:
    census = figures.census
    for name, text, value in QUEUE_GAUGES:
        yield _by_queue(name, text, census.lines, value)
    yield _oldest(census)
    yield _gauge("workers_active", "Workers of live nodes.", figures.workers)
    yield _gauge("nodes_active", "Nodes with a good lease.", figures.nodes)
    yield _gauge("worker_slots", "Attempts that live workers may have open.", figures.slots)
    counted = census.counted_us / SECOND_US
    yield _gauge("census_timestamp_seconds", "When live and submitted jobs were counted.", counted)


def _ended(total: Total) -> float:
    return total.ended


# Name, help, what is added up, and what of it.
COUNTERS: tuple[tuple[str, str, tuple[str, ...], Value], ...] = (
    ("jobs_completed", "Jobs that worked.", (State.COMPLETED,), _ended),
    ("jobs_retried", "Attempts that failed and whose job runs again.", (RETRIED,), _ended),
    ("jobs_failed", "Attempts that failed.", (RETRIED, State.FAILED), _ended),
    ("jobs_dead", "Jobs that failed for good.", (State.FAILED,), _ended),
    ("jobs_cancelled", "Jobs that were cancelled.", (State.CANCELLED,), _ended),
    ("jobs_revived", "Finished jobs put back in line by hand.", (REVIVED,), _ended),
    (
        "job_wait_seconds",
        "Seconds that finished jobs were due before their last attempt began.",
        tuple(State),
        lambda total: total.waited_us / SECOND_US,
    ),
    (
        "job_run_seconds",
        "Seconds that the last attempts of finished jobs ran.",
        tuple(State),
        lambda total: total.ran_us / SECOND_US,
    ),
)

QUEUE_GAUGES: tuple[tuple[str, str, Callable[[Line], int]], ...] = (
    ("queue_depth", "Jobs that wait to be run.", lambda line: line.pending),
    ("jobs_in_flight", "Jobs that run.", lambda line: line.running),
    ("jobs_scheduled", "Jobs for later, and such as wait for their retry.", lambda x: x.scheduled),
)


def _counter(
    name: str, text: str, names: Iterable[Pair], values: Mapping[Pair, float]
) -> CounterMetricFamily:
    """A counter for every name: from nought, so that the first of them is seen as an increase."""
    family = CounterMetricFamily(f"windlass_{name}", text, labels=["queue", "type"])
    for pair in dict.fromkeys((*names, *values)):
        family.add_metric(pair, values.get(pair, 0.0))
    return family


def _by_queue(
    name: str, text: str, lines: Sequence[Line], value: Callable[[Line], int]
) -> GaugeMetricFamily:
    sums: defaultdict[str, int] = defaultdict(int)
    for line in lines:
        sums[line.queue] += value(line)
    family = GaugeMetricFamily(f"windlass_{name}", text, labels=["queue"])
    for queue, sum_ in sums.items():
        family.add_metric([queue], sum_)
    return family


def _oldest(census: Census) -> GaugeMetricFamily:
    oldest: dict[str, int] = {}
    for line in census.lines:
        if line.oldest_us is not None:
            oldest[line.queue] = min(line.oldest_us, oldest.get(line.queue, line.oldest_us))
    family = GaugeMetricFamily(
        "windlass_queue_oldest_seconds",
        "For how long the job that waits longest has been due.",
        labels=["queue"],
    )
    for queue, due_us in oldest.items():
        family.add_metric([queue], (census.counted_us - due_us) / SECOND_US)
    return family


def _gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"windlass_{name}", text, value=float(value))
