"""The oracle is lied to in every way there is, and must not believe it once.

An oracle that never complains proves nothing: each lie is told about many runs, honest but for
that, and must be found where it was told.
"""

import random
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any, TypeAlias, TypeVar

import psycopg
import pytest

from tests.acceptance.audit import Account, Audit, Evidence, account, audit
from tests.acceptance.books import Books, Effect, Finished
from tests.acceptance.fleet import Site
from tests.acceptance.jobs import LEDGER
from tests.acceptance.ledger import Entry

T = TypeVar("T")
# Changes the evidence of a run; answers with whom it is about as well.
Lie: TypeAlias = Callable[[Evidence, random.Random], tuple[Evidence, str]]

RUNS = 40
JOBS = 30
NOW = 1_800_000_000.0


def honest(chance: random.Random) -> Evidence:
    """A run in which all went well, though attempts were repeated and answers got lost."""
    ids = [f"job {number}" for number in range(JOBS)]
    doomed = frozenset(ids[:3])
    finished = [a_finished(id_, chance, doomed=id_ in doomed) for id_ in ids]
    return Evidence(
        asked=frozenset(ids) | {"never arrived"},
        accepted=frozenset(ids[2:]),
        doomed=doomed,
        finished=finished,
        effects=[Effect(0, job.id, job.fence) for job in finished if effective(job)],
        counts={"completed": JOBS - len(doomed), "failed": len(doomed)},
        starts=[start for job in finished for start in starts_of(job, chance)],
        ends=frozenset((job.id, job.fence) for job in finished if job.type == "rest"),
    )


def a_finished(id_: str, chance: random.Random, *, doomed: bool) -> Finished:
    kind, fence = chance.choice(["effect", "rest"]), chance.randrange(1, 6)
    if doomed:
        return Finished(id_, kind, "failed", "crash", fence, 0, 0, 3, 3, 3, NOW)
    return Finished(id_, kind, "completed", None, fence, 1, 0, 0, 3, 3, NOW)


def effective(job: Finished) -> bool:
    return job.type == "effect" and job.state == "completed"


def starts_of(job: Finished, chance: random.Random) -> list[Entry]:
    """The last attempt, and some of those before it."""
    before = chance.sample(range(1, job.fence), chance.randrange(job.fence))
    return [Entry(job.id, fence, 0, 1, NOW + fence / 10) for fence in [*before, job.fence]]


# --- lies -----------------------------------------------------------------------------------------


def completed(evidence: Evidence, chance: random.Random, kind: str = "") -> Finished:
    """Somebody to lie about."""
    return chance.choice(
        [
            job
            for job in evidence.finished
            if job.state == "completed" and kind in job.type and job.id in evidence.accepted
        ]
    )


def without(things: Sequence[T], which: Callable[[T], bool]) -> list[T]:
    return [thing for thing in things if not which(thing)]


def changed(evidence: Evidence, job: Finished, **facts: Any) -> Evidence:
    finished = [one._replace(**facts) if one is job else one for one in evidence.finished]
    return evidence._replace(finished=finished)


def lose(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """It began, and then it was gone from the books."""
    job = completed(evidence, chance, "rest")
    return evidence._replace(finished=without(evidence.finished, job.__eq__)), job.id


def swallow(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """It was accepted, and nobody ever heard of it."""
    return evidence._replace(
        accepted=evidence.accepted | {"gone"}, asked=evidence.asked | {"gone"}
    ), "gone"


def forget(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """It was accepted, and waits for ever."""
    job = completed(evidence, chance, "rest")
    gone = evidence._replace(finished=without(evidence.finished, job.__eq__), live=[job.id])
    return gone, job.id


def invent(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """It ran, and nobody had asked for it."""
    start = chance.choice(evidence.starts)._replace(job="invented")
    return evidence._replace(starts=[*evidence.starts, start]), "invented"


def insert(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """It is in the books, and nobody had asked for it."""
    job = completed(evidence, chance)._replace(id="inserted")
    return evidence._replace(finished=[*evidence.finished, job]), "inserted"


def bury(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """It failed, and should not have."""
    job = completed(evidence, chance)
    return changed(evidence, job, state="failed", reason="attempts", failures=3), job.id


def spare(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """It completed, and cannot have."""
    job = chance.choice([job for job in evidence.finished if job.id in evidence.doomed])
    return changed(evidence, job, state="completed", reason=None), job.id


def accuse(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """It is said to have crashed three times, and did once."""
    job = chance.choice([job for job in evidence.finished if job.id in evidence.doomed])
    lies: list[dict[str, Any]] = [{"crashes": 1}, {"reason": "attempts"}, {"reason": None}]
    return changed(evidence, job, **chance.choice(lies)), job.id


def double(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """It is over twice."""
    job = completed(evidence, chance)
    return evidence._replace(finished=[*evidence.finished, job]), job.id


def tear(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """It is over, and waits for its next attempt."""
    job = completed(evidence, chance)
    return evidence._replace(live=[job.id]), job.id


def share(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """Two ran it under one claim."""
    start = chance.choice(evidence.starts)
    again = start._replace(pid=2, at=start.at + 1)
    return evidence._replace(starts=[*evidence.starts, again]), f"{start.job} {start.fence}"


def imagine(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """It completed, and nobody ever ran it."""
    job = completed(evidence, chance)
    return evidence._replace(starts=without(evidence.starts, lambda one: one.job == job.id)), job.id


def outdate(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """A zombie completed it while somebody else ran it."""
    job = completed(evidence, chance)
    later = Entry(job.id, job.fence + 2, 0, 2, NOW + 9)
    return evidence._replace(starts=[*evidence.starts, later]), job.id


def hurry(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """It was said to be completed while its handler still ran."""
    job = completed(evidence, chance, "rest")
    return evidence._replace(ends=evidence.ends - {(job.id, job.fence)}), job.id


def rush(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """It began before its time."""
    job = completed(evidence, chance)
    return changed(evidence, job, run_at=NOW + 60), job.id


def undo(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """It completed, and what it did is not there."""
    effect = chance.choice(evidence.effects)
    return evidence._replace(effects=without(evidence.effects, effect.__eq__)), effect.job


def leave_half(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """It failed, and what it did is there."""
    [*_, job] = [job for job in evidence.finished if job.id in evidence.doomed]
    return evidence._replace(effects=[*evidence.effects, Effect(0, job.id, job.fence)]), job.id


def overdo(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """What it did was done twice."""
    effect = chance.choice(evidence.effects)
    return evidence._replace(effects=[*evidence.effects, effect]), effect.job


def overtake(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """What it did was done by an attempt that did not complete it."""
    effect = chance.choice(evidence.effects)
    others = without(evidence.effects, effect.__eq__)
    return evidence._replace(effects=[*others, effect._replace(fence=effect.fence - 1)]), effect.job


def miscount(evidence: Evidence, chance: random.Random) -> tuple[Evidence, str]:
    """The sums are wrong."""
    state = chance.choice(["completed", "failed", "cancelled"])
    counts = {**evidence.counts, state: evidence.counts.get(state, 0) + 1}
    return evidence._replace(counts=counts), state


# Where each lie must be found.
LIES: Mapping[Lie, str] = {
    lose: "lost",
    swallow: "lost",
    forget: "lost",
    invent: "unexpected",
    insert: "unexpected",
    bury: "unwell",
    spare: "spared",
    accuse: "accused",
    double: "doubled",
    tear: "torn",
    share: "shared",
    imagine: "imagined",
    outdate: "stale",
    hurry: "premature",
    rush: "early",
    undo: "ineffective",
    leave_half: "half_done",
    overdo: "overdone",
    overtake: "overtaken",
    miscount: "miscounted",
}


def test_an_honest_run_is_believed() -> None:
    audits = {audit(honest(random.Random(seed))) for seed in range(RUNS)}

    assert audits == {Audit()}


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_lie_is_found_where_it_was_told(lie: Lie) -> None:
    for seed in range(RUNS):
        chance = random.Random(seed)
        evidence, about = lie(honest(chance), chance)

        found = audit(evidence)

        assert getattr(found, LIES[lie]) == {about}, seed


def test_there_is_a_lie_about_everything_that_can_go_wrong() -> None:
    assert set(LIES.values()) == set(Audit._fields)


def test_the_account_of_an_honest_run_closes() -> None:
    evidence = honest(random.Random(1))

    figures = account(evidence)

    repeated = len(evidence.starts) - JOBS
    assert figures == Account(JOBS + 1, JOBS - 2, JOBS, 0, 0, 2, repeated)
    assert repeated > 0


@pytest.mark.parametrize(
    ("lie", "figure"),
    [
        (lose, "lost"),
        (swallow, "lost"),
        (forget, "lost"),
        (imagine, "lost"),
        (outdate, "repeated"),
        (share, "repeated"),
    ],
    ids=lambda given: getattr(given, "__name__", given),
)
def test_the_account_shows_what_is_missing_or_too_much(lie: Lie, figure: str) -> None:
    for seed in range(RUNS):
        chance = random.Random(seed)
        true = honest(chance)
        evidence, _ = lie(true, chance)

        difference = getattr(account(evidence), figure) - getattr(account(true), figure)

        assert difference == 1


def test_the_account_shows_what_nobody_asked_for() -> None:
    chance = random.Random(1)
    evidence, _ = insert(honest(chance), chance)
    evidence, _ = invent(evidence._replace(starts=[Entry("inserted", 1, 0, 1, NOW)]), chance)

    assert account(evidence).unexpected == 1


# --- what the witnesses say of a real run ---------------------------------------------------------

# What is done to a database behind the back of everybody, and where it must be found.
FORGERIES = {
    "delete from windlass_history where type = 'rest'": {"lost", "miscounted"},
    "update windlass_history set fence = fence + 1 where type = 'rest'": {"stale", "premature"},
    "update windlass_history set state = 'failed' where type = 'rest'": {
        "unwell",
        "accused",
        "miscounted",
    },
    "delete from effects": {"ineffective"},
    "insert into effects select number, job, fence from effects": {"overdone"},
    "update windlass_rollups set jobs = jobs + 1": {"miscounted"},
}


class ForgedBooks(Books):
    """Books in which somebody has written; only who reads them knows it."""

    def __init__(self, url: str, connection: Any) -> None:
        super().__init__(url)
        self._connection = connection

    def _ask(self, question: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._connection.execute(question).fetchall()
        return rows


@contextmanager
def forged(url: str, forgery: str) -> Iterator[Books]:
    """Books with a forgery that is taken back in the end."""
    path = url.removeprefix("sqlite:///")
    connection: Any = sqlite3.connect(path) if path != url else psycopg.connect(url)
    with closing(connection):
        connection.execute(forgery)
        yield ForgedBooks(url, connection)
        connection.rollback()


async def test_forged_books_are_found_out(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LEDGER, str(site.ledger.path))
    await site.enqueue(site.works.effect.job(0, 0), site.works.rest.options(delay=0.2).job(1, 0))
    async with site.app.worker():
        await site.all_finished()
    true, figures = site.audit(), site.account()

    found = {}
    for forgery in FORGERIES:
        with forged(site.url, forgery) as books:
            judgement = audit(site.evidence(books))
        found[forgery] = {name for name, jobs in judgement._asdict().items() if jobs}

    assert found == FORGERIES
    assert true == site.audit() == Audit()
    assert figures == Account(2, 2, 2, 0, 0, 0, 0)
