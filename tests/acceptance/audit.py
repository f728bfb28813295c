"""The oracle: compares what was asked for, what the database says and what really happened.

It is fed by three witnesses that know nothing of each other: the callers, the books and the
ledger. It reads no code of ours, and `test_audit.py` lies to it in every way it knows of.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from tests.acceptance.books import Effect, Finished
from tests.acceptance.ledger import Entry

NONE: frozenset[str] = frozenset()
# Which figure must have reached which, for a job to have failed for this reason.
TRUE_REASONS: Mapping[str, Callable[[Finished], bool]] = {
    "attempts": lambda job: job.failures == job.max_attempts,
    "crash": lambda job: job.crashes == job.max_crashes,
    "final": lambda job: 0 < job.failures <= job.max_attempts,
}


class Evidence(NamedTuple):
    """What is known of a run that is over."""

    asked: frozenset[str] = NONE  # by callers, also where nobody answered
    accepted: frozenset[str] = NONE  # as callers were told
    doomed: frozenset[str] = NONE  # asked for in order to fail
    finished: Sequence[Finished] = ()
    live: Sequence[str] = ()
    effects: Sequence[Effect] = ()
    counts: Mapping[str, int] = {}  # of finished jobs by their state, as the books add them up
    starts: Sequence[Entry] = ()
    ends: frozenset[tuple[str, int]] = frozenset()  # jobs and fences whose handler came to its end


class Audit(NamedTuple):
    """The jobs with which something went wrong. Where nothing did, all of it is empty."""

    lost: frozenset[str] = NONE  # accepted, and not over
    unexpected: frozenset[str] = NONE  # there, or begun, and never asked for
    unwell: frozenset[str] = NONE  # over, and not completed
    spared: frozenset[str] = NONE  # completed, and asked for in order to fail
    accused: frozenset[str] = NONE  # failed for a reason that is not true
    doubled: frozenset[str] = NONE  # over more than once
    torn: frozenset[str] = NONE  # over and live at once
    shared: frozenset[str] = NONE  # begun twice under one claim
    imagined: frozenset[str] = NONE  # completed, and never begun
    stale: frozenset[str] = NONE  # completed by a claim that was not the last
    premature: frozenset[str] = NONE  # completed before its handler was through
    early: frozenset[str] = NONE  # begun before its time
    ineffective: frozenset[str] = NONE  # completed without its effect
    half_done: frozenset[str] = NONE  # not completed, and yet there is its effect
    overdone: frozenset[str] = NONE  # with more than one effect
    overtaken: frozenset[str] = NONE  # with the effect of a claim that did not complete it
    miscounted: frozenset[str] = (
        NONE  # states of which the books count more or fewer than they hold
    )


class Account(NamedTuple):
    """Jepsen's accounting of a queue, in numbers of jobs."""

    attempted: int
    acknowledged: int
    observed: int  # over, and if they completed they were seen to begin
    lost: int  # acknowledged, and not observed
    unexpected: int  # observed, and never attempted
    recovered: int  # observed, though nobody had been told so
    repeated: int  # starts beyond the first of each job: what a receiver may see twice


def account(evidence: Evidence) -> Account:
    """Add up what became of what was asked for."""
    begun = {entry.job for entry in evidence.starts}
    observed = {job.id for job in evidence.finished if job.state != "completed" or job.id in begun}
    return Account(
        attempted=len(evidence.asked),
        acknowledged=len(evidence.accepted),
        observed=len(observed),
        lost=len(evidence.accepted - observed),
        unexpected=len(observed - evidence.asked),
        recovered=len(observed & evidence.asked - evidence.accepted),
        repeated=len(evidence.starts) - len(begun),
    )


def audit(evidence: Evidence) -> Audit:
    """Judge jobs that are all to complete, but for those that are to fail."""
    _, accepted, doomed, finished, live, effects, *_ = evidence
    ids = frozenset(job.id for job in finished)
    completed = {job.id: job for job in finished if job.state == "completed"}
    last = last_starts(evidence.starts)
    effective = {job.id for job in completed.values() if "effect" in job.type}
    affected = [effect.job for effect in effects]
    return Audit(
        lost=accepted - ids,
        unexpected=ids.union(live, last) - evidence.asked,
        unwell=ids.difference(completed) - doomed,
        spared=doomed.intersection(completed),
        accused=frozenset(job.id for job in finished if accused(job)),
        doubled=repeated(job.id for job in finished),
        torn=ids.intersection(live),
        shared=repeated(f"{entry.job} {entry.fence}" for entry in evidence.starts),
        imagined=frozenset(completed).difference(last),
        stale=frozenset(id_ for id_, job in completed.items() if stale(job, last.get(id_))),
        premature=frozenset(id_ for id_, job in completed.items() if premature(job, evidence)),
        early=frozenset(id_ for id_, job in completed.items() if early(job, last.get(id_))),
        ineffective=frozenset(effective.difference(affected)),
        half_done=frozenset(affected).difference(effective),
        overdone=repeated(affected),
        overtaken=frozenset(
            one.job
            for one in effects
            if one.job in completed and completed[one.job].fence != one.fence
        ),
        miscounted=miscounted(evidence),
    )


def last_starts(starts: Iterable[Entry]) -> dict[str, Entry]:
    """The last attempt that began, for each job."""
    return {entry.job: entry for entry in sorted(starts, key=lambda entry: entry.fence)}


def accused(job: Finished) -> bool:
    """Whether a job failed without having done what it is accused of."""
    if job.state != "failed":
        return False
    true = TRUE_REASONS.get(job.reason or "")
    return true is None or not true(job)


def stale(job: Finished, start: Entry | None) -> bool:
    """Whether a later attempt had begun than the one that completed the job."""
    return start is not None and start.fence != job.fence


def premature(job: Finished, evidence: Evidence) -> bool:
    """Whether a handler that writes down its end had not come to it."""
    return job.type in ("rest", "toil", "gated_toil") and (job.id, job.fence) not in evidence.ends


def early(job: Finished, start: Entry | None) -> bool:
    """Whether the last attempt began before it was due."""
    return start is not None and start.at < job.run_at


def miscounted(evidence: Evidence) -> frozenset[str]:
    """The states whose count is wrong."""
    held = Counter(job.state for job in evidence.finished)
    return frozenset(
        state
        for state in ("completed", "failed", "cancelled")
        if evidence.counts.get(state, 0) != held[state]
    )


def repeated(things: Iterable[str]) -> frozenset[str]:
    """What is there more than once."""
    return frozenset(thing for thing, count in Counter(things).items() if count > 1)
