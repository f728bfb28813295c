"""Settlements by worker, as statements, and what to make of one that found no claim to end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from windlass.core.job import FINISHED, JobId, State, WorkerId
from windlass.core.settle import Settlement
from windlass.store.script import Row, Statement

DONE_COLUMNS = ("id", "fence", "started_us", "ended_us", "result")
FINISH_COLUMNS = (
    "id",
    "fence",
    "state",
    "fence_after",
    "attempts",
    "failures",
    "crashes",
    "started_us",
    "ended_us",
    "result",
    "error",
    "trace",
    "reason",
)
RETURN_COLUMNS = (
    "id",
    "fence",
    "reason",
    "lane",
    "fence_after",
    "attempts",
    "failures",
    "crashes",
    "delay_us",
    "error",
    "trace",
    "started_us",
    "ended_us",
)

# What a block hears whose settlement is refused.
EFFECTS_LOST = "the attempt's claim is no longer good, so its effects were rolled back"


def by_worker(settlements: Iterable[Settlement]) -> dict[WorkerId, list[Settlement]]:
    """Settlements by worker, each in the order of their ids.

    So two batches never lock up, and a job finds its settlement by halving (`settle_done`).
    """
    groups: dict[WorkerId, list[Settlement]] = defaultdict(list)
    for one in sorted(settlements, key=_id_first):
        groups[one.worker].append(one)
    return groups


def parted(batch: list[Settlement]) -> tuple[list[Settlement], list[Settlement]]:
    """Those that end their job, and those after which it goes on living."""
    done = [one for one in batch if one.state in FINISHED]
    if len(done) == len(batch):
        return done, []
    return done, [one for one in batch if one.state not in FINISHED]


def worked(worker: WorkerId, settlements: Sequence[Settlement], now: float) -> Statement:
    """Move jobs to history whose attempt worked: `finish`, as cheap as can be."""
    return Statement(
        "settle_done",
        {"worker": worker},
        DONE_COLUMNS,
        [
            (one.id, one.fence, _ago(one.started, now), _ago(one.ended, now) or 0, one.result)
            for one in settlements
        ],
    )


def finish(worker: WorkerId, settlements: Sequence[Settlement], now: float) -> Statement:
    """Move jobs to history; `now` is of the clock that `started` and `ended` were read from."""
    return Statement(
        "settle_finish",
        {"worker": worker},
        FINISH_COLUMNS,
        [
            (
                one.id,
                one.fence,
                one.state,
                one.fence_after,
                one.attempts,
                one.failures,
                one.crashes,
                _ago(one.started, now),
                _ago(one.ended, now) or 0,
                one.result,
                one.error,
                one.trace,
                one.reason,
            )
            for one in settlements
        ],
    )


def returned(worker: WorkerId, settlements: Sequence[Settlement], now: float) -> Statement:
    """Put jobs back in line, or aside for later."""
    return Statement(
        "settle_return",
        {"worker": worker},
        RETURN_COLUMNS,
        [
            (
                one.id,
                one.fence,
                one.reason,
                one.lane,
                one.fence_after,
                one.attempts,
                one.failures,
                one.crashes,
                _left(one, now),
                one.error,
                one.trace,
                _ago(one.started, now),
                _ago(one.ended, now),
            )
            for one in settlements
        ],
    )


def standing_of(one: Settlement, row: Row | None) -> Settlement | None:
    """None if the settlement was applied, itself if it is stale, another if that must be sent."""
    if row is None:
        return one
    if row["state"] != State.RUNNING:
        # With the fence I left, finished or waiting: it was mine, and only the answer got lost.
        return None if row["fence"] == one.fence_after else one
    if row["fence"] != one.fence or row["worker"] != one.worker:
        return one
    if row["cancel_requested"] and one.state not in FINISHED:
        return one._replace(state=State.CANCELLED, reason="cancelled", fence_after=one.fence)
    return one._replace()  # a copy: the claim is still good, and the settlement has not come


def _id_first(settlement: Settlement) -> JobId:
    return settlement.id


def _left(one: Settlement, now: float) -> int:
    """How long its job is to wait yet: from the end of the attempt on, however late that is told.

    Never nothing if it was to wait at all: what was to wait is put in line by who promotes.
    """
    delay = round(one.delay * 1_000_000)
    return max(delay - (_ago(one.ended, now) or 0), 1) if delay else 0


def _ago(instant: float | None, now: float) -> int | None:
    return None if instant is None else round((now - instant) * 1_000_000)
