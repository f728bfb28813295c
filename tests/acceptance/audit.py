"""The oracle: compares what was asked for, what the database says and what really happened."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from tests.acceptance.books import Books
from tests.acceptance.ledger import Entry, Ledger

NONE: frozenset[str] = frozenset()


class Audit(NamedTuple):
    """The jobs with which something went wrong. Where nothing did, all of it is empty."""

    lost: frozenset[str] = NONE  # accepted, and not over
    unknown: frozenset[str] = NONE  # over, and never asked for
    unwell: frozenset[str] = NONE  # over, and not completed
    doubled: frozenset[str] = NONE  # over more than once
    shared: frozenset[str] = NONE  # begun twice under one claim
    stale: frozenset[str] = NONE  # completed by a claim that was not the last
    ineffective: frozenset[str] = NONE  # completed without its effect
    half_done: frozenset[str] = NONE  # not completed, and yet there is its effect
    overdone: frozenset[str] = NONE  # with more than one effect
    overtaken: frozenset[str] = NONE  # with the effect of a claim that did not complete it


def audit(asked: Collection[str], accepted: Collection[str], books: Books, ledger: Ledger) -> Audit:
    """Judge jobs that are all to complete; `asked` for are also those nobody was told about."""
    finished, starts, effects = books.finished(), ledger.entries(), books.effects()
    ids = [job.id for job in finished]
    fences = {job.id: job.fence for job in finished if job.state == "completed"}
    last = last_fences(starts)
    effective = {job.id for job in finished if "effect" in job.type and job.id in fences}
    affected = [effect.job for effect in effects]
    return Audit(
        lost=frozenset(accepted).difference(ids),
        unknown=frozenset(ids).difference(asked),
        unwell=frozenset(ids).difference(fences),
        doubled=repeated(ids),
        shared=repeated(f"{entry.job} {entry.fence}" for entry in starts),
        stale=frozenset(id_ for id_, fence in fences.items() if last.get(id_) != fence),
        ineffective=frozenset(effective.difference(affected)),
        half_done=frozenset(affected).difference(effective),
        overdone=repeated(affected),
        overtaken=frozenset(one.job for one in effects if fences.get(one.job) != one.fence),
    )


def last_fences(starts: Iterable[Entry]) -> dict[str, int]:
    """The fence of the last attempt that began, for each job."""
    return {entry.job: entry.fence for entry in sorted(starts, key=lambda entry: entry.fence)}


def repeated(things: Iterable[str]) -> frozenset[str]:
    """What is there more than once."""
    return frozenset(thing for thing, count in Counter(things).items() if count > 1)
