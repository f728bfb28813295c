"""What is asked of Windlass beside its peers, and whether this run shows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.figure import Verdict
from benchmarks.peers.header import Header
from benchmarks.peers.measure import Measure
from benchmarks.peers.outcome import Cell, Outcome

Which = Callable[[Header], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A figure of one of ours against the best of some peers."""

    asked: str
    ours: str
    figure: str
    peers: Which
    factor: float = 1.0  # times the peer's, at least; at most where less is better
    slack: float = 0.0  # that is forgiven, in the figure's unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What a mark comes to."""

    mark: Mark
    value: float | None
    peer: str = ""
    against: float | None = None
    verdict: Verdict = Verdict.SHOWN

    @property
    def ratio(self) -> float | None:
        """Ours by theirs."""
        return self.value / self.against if self.value is not None and self.against else None


def anyone(header: Header) -> bool:
    return not header.ours


def on_redis(header: Header) -> bool:
    return not header.ours and header.store == "redis"


def celery(header: Header) -> bool:
    return header.side == "celery"


def durable(header: Header) -> bool:
    return not header.ours and header.durable


def durable_with_a_server(header: Header) -> bool:
    """Who commits to a file in its own process makes no trip to anybody."""
    return durable(header) and header.store != "sqlite"


def nobody(header: Header) -> bool:
    del header
    return False


POSTGRES, REDIS, SQLITE = "windlass_postgres", "windlass_redis", "windlass_sqlite"

# Jobs finished twice are told and not judged: whoever is killed between an effect elsewhere and the
# commit of the job's end must do it again. What must not be is an effect twice where both are one.
AFTER_A_KILL = (
    ("job lost", "kill_not_done"),
    ("effect lost", "effects_missing"),
    ("effect doubled", "effects_twice"),
)

MARKS = (
    Mark(
        asked="drain on PostgreSQL ≥ 1.6 times the fastest peer",
        ours=POSTGRES,
        figure="drain",
        peers=anyone,
        factor=1.6,
    ),
    Mark(
        asked="drain on PostgreSQL ≥ 5 times the fastest on Redis",
        ours=POSTGRES,
        figure="drain",
        peers=on_redis,
        factor=5,
    ),
    Mark(
        asked="drain on PostgreSQL ≥ 20 times Celery",
        ours=POSTGRES,
        figure="drain",
        peers=celery,
        factor=20,
    ),
    Mark(
        asked="drain on SQLite ≥ 1.4 times the fastest peer",
        ours=SQLITE,
        figure="drain",
        peers=anyone,
        factor=1.4,
    ),
    Mark(
        asked="bulk enqueue on PostgreSQL ≥ 1.6 times the best peer",
        ours=POSTGRES,
        figure="bulk",
        peers=anyone,
        factor=1.6,
    ),
    Mark(
        asked="bulk enqueue on SQLite ≥ 1.6 times the best peer",
        ours=SQLITE,
        figure="bulk",
        peers=anyone,
        factor=1.6,
    ),
    Mark(
        asked="enqueue one by one on PostgreSQL: the best of the durable with a server",
        ours=POSTGRES,
        figure="enqueue",
        peers=durable_with_a_server,
    ),
    Mark(
        asked="enqueue one by one on SQLite: the best of the durable",
        ours=SQLITE,
        figure="enqueue",
        peers=durable,
    ),
    Mark(
        asked="pick-up p50 on PostgreSQL within 1 ms of the best peer",
        ours=POSTGRES,
        figure="pickup_p50",
        peers=anyone,
        slack=1,
    ),
    Mark(
        asked="pick-up p50 with Redis within 1 ms of the best peer",
        ours=REDIS,
        figure="pickup_p50",
        peers=anyone,
        slack=1,
    ),
    Mark(
        asked="pick-up p99 on PostgreSQL: the best of the durable",
        ours=POSTGRES,
        figure="pickup_p99",
        peers=durable,
    ),
    *(
        Mark(asked=f"no {what} after kill -9", ours=ours, figure=figure, peers=nobody)
        for ours in (POSTGRES, REDIS, SQLITE)
        for what, figure in AFTER_A_KILL
    ),
)


def rulings(outcome: Outcome) -> Iterator[Ruling]:
    """Each mark that this run says something about."""
    for mark in MARKS:
        ours = outcome.cell(mark.ours, mark.figure)
        rivals = [
            cell
            for cell in outcome.cells()
            if cell.figure.name == mark.figure and mark.peers(cell.header) and cell.samples
        ]
        if ours is not None and (rivals or mark.peers is nobody):
            yield ruling(mark, ours, rivals)


def ruling(mark: Mark, ours: Cell, rivals: list[Cell]) -> Ruling:
    """One mark: a figure that could not be taken misses it."""
    more = ours.figure.better == "more"
    best = (max if more else min)(rivals, key=lambda cell: cell.median or 0.0, default=None)
    against = 0.0 if best is None or best.median is None else best.median
    value = ours.median
    met = value is not None and (
        value >= mark.factor * against - mark.slack
        if more
        else value <= mark.factor * against + mark.slack
    )
    return Ruling(
        mark=mark,
        value=value,
        peer="" if best is None else best.header.name,
        against=None if best is None else best.median,
        verdict=Verdict.REACHED if met else Verdict.MISSED,
    )


def finalists(outcome: Outcome) -> Iterator[tuple[Measure, list[Header]]]:
    """The sides that decide a mark as things stand, by the measure that it is judged by."""
    names: defaultdict[str, set[str]] = defaultdict(set)
    for found in rulings(outcome):
        if found.against is not None:
            names[found.mark.figure] |= {found.mark.ours, found.peer}
    for measure in outcome.measures:
        wanted = set().union(*(names[figure.name] for figure in measure.figures))
        sides = [one for one in outcome.headers if wanted & {one.side, one.name}]
        if sides:
            yield measure, sides
