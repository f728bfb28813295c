"""What is asked of Windlass beside its peers, and whether this run shows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

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
    ratio: float | None = None  # ours by theirs, round by round, and of these the one in the middle
    verdict: Verdict = Verdict.SHOWN


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
        if ours is None:
            continue
        rivals = [cell for cell in outcome.cells() if _rival(mark, ours, cell)]
        if rivals or mark.peers is nobody:
            yield ruling(mark, ours, rivals)


def _rival(mark: Mark, ours: Cell, cell: Cell) -> bool:
    if cell.figure.name != mark.figure or not mark.peers(cell.header):
        return False
    return bool(ours.beside(cell) if ours.samples else cell.samples)


def ruling(mark: Mark, ours: Cell, rivals: list[Cell]) -> Ruling:
    """One mark, by who comes nearest to us or is ahead; a figure that could not be taken misses it.

    A machine may be twice as slow in another round, so what is compared is of the same.
    """
    if ours.median is None:
        return Ruling(mark=mark, value=None, verdict=Verdict.MISSED)
    if not rivals:
        met = ours.median == 0
        return Ruling(mark=mark, value=ours.median, verdict=_verdict(met))
    margins = [(_margin(mark, ours, rival), rival) for rival in rivals]
    margin, best = min(margins, key=lambda one: one[0])
    pairs = ours.beside(best)
    return Ruling(
        mark=mark,
        value=median([one for one, _ in pairs]),
        peer=best.header.name,
        against=median([other for _, other in pairs]),
        ratio=median([one / other for one, other in pairs if other]),
        verdict=_verdict(margin >= 0),
    )


def _margin(mark: Mark, ours: Cell, rival: Cell) -> float:
    """By how much we are on the right side of the mark, in the middle of the rounds."""
    pairs = ours.beside(rival)
    if ours.figure.better == "more":
        return median([one / other - mark.factor for one, other in pairs])
    return median([mark.factor * other + mark.slack - one for one, other in pairs])


def _verdict(met: bool) -> Verdict:  # noqa: FBT001
    return Verdict.REACHED if met else Verdict.MISSED


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
