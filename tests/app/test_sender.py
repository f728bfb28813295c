"""What is rung for, and who gets which error."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.embedded import OwnClock
from windlass.app.ports import Backend
from windlass.app.sender import Sender, words
from windlass.core.errors import Busy, KeyTaken, StoreAway
from windlass.core.herald import Herald
from windlass.core.job import JobId, NewJob, State
from windlass.store.records import Enqueued

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOW_US = int(NOW.timestamp() * 1_000_000)
HOUR = timedelta(hours=1)


def job(queue: str = "mail", **changes: Any) -> NewJob:
    return NewJob(JobId("1"), "welcome", "{}", queue=queue, **changes)


@pytest.mark.parametrize(
    ("jobs", "rung"),
    [
        ([], []),
        ([job("mail"), job("mail"), job("a")], ["a", "mail"]),
        ([job(f"q{n}") for n in range(8)], [f"q{n}" for n in range(8)]),
        ([job(f"q{n}") for n in range(9)], ["*"]),
        ([job(delay=HOUR), job(run_at=NOW + HOUR)], []),
        ([job(delay=timedelta(seconds=0.5))], ["mail", "@later"]),
        ([job(delay=timedelta(0))], ["mail", "@later"]),
        ([job(run_at=NOW - HOUR)], ["mail", "@later"]),
        ([job(run_at=NOW + timedelta(seconds=1)), job("a")], ["a", "mail", "@later"]),
        ([job(threads=2), job("a")], ["a", "mail", "@wide"]),
    ],
)
def test_a_ring_names_the_queues_in_which_something_is_due(
    jobs: list[NewJob], rung: list[str]
) -> None:
    assert words(jobs, NOW_US) == rung


def test_what_the_store_says_of_a_job_is_rung_for_and_nothing_else() -> None:
    soon = job(delay=timedelta(seconds=0.5))

    assert words([soon], NOW_US, [State.SCHEDULED]) == ["@later"]
    assert words([soon], NOW_US, [State.PENDING]) == ["mail"]


class Shelf:
    """A store that refuses some jobs, and a bell that nobody hears."""

    def __init__(self, refuses: dict[str, Exception]) -> None:
        self.refuses = refuses
        self.sent: list[list[str]] = []
        self.kept: list[str] = []
        self.known: set[str] = set()
        self.rung: list[tuple[list[str], int]] = []
        self.heralds = False
        self.heralded: list[str] = []

    async def enqueue(self, jobs: Sequence[NewJob], herald: Herald | None = None) -> list[Enqueued]:
        """Keep all of them, unless there is one to refuse."""
        self.sent.append([job.id for job in jobs])
        for job in jobs:
            if job.id in self.refuses:
                raise self.refuses[job.id]
        self.kept += [job.id for job in jobs]
        if herald is not None:
            self.heralded.append(herald.words)
            herald.sent = True
        return [Enqueued(job.id, State.PENDING, job.id in self.known) for job in jobs]

    def herald(self, words: Sequence[str]) -> Herald | None:
        """One for the commit, if it is told to."""
        return Herald(",".join(words), "here") if self.heralds else None

    async def ring(self, words: Sequence[str], jobs: int = 1) -> None:
        """Remember the ring."""
        self.rung.append((list(words), jobs))


def sender(shelf: Any) -> Sender:
    return Sender(Backend(shelf, shelf), OwnClock())


def numbered(count: int, **changes: Any) -> list[NewJob]:
    return [job(**changes)._replace(id=JobId(str(number))) for number in range(count)]


async def test_the_ring_for_a_lone_job_goes_with_its_commit_and_not_again() -> None:
    shelf = Shelf({})
    shelf.heralds = True

    await sender(shelf).enqueue(numbered(1))
    await sender(shelf).enqueue(numbered(2))
    await sender(shelf).enqueue(numbered(1, delay=timedelta(seconds=1)))

    assert shelf.heralded == ["mail"]
    assert shelf.rung == [(["mail"], 2), (["mail"], 1)]


async def test_nobody_is_woken_for_what_was_kept_before() -> None:
    shelf = Shelf({})
    shelf.known = {"0", "2"}

    await sender(shelf).enqueue(numbered(4))
    await sender(shelf).enqueue(numbered(1))

    assert shelf.rung == [(["mail"], 2), ([], 0)]


async def test_each_goes_in_one_transaction_when_all_is_well() -> None:
    shelf = Shelf({})

    answers = await sender(shelf).enqueue_each(numbered(5))

    assert answers == [Enqueued(JobId(str(number)), State.PENDING) for number in range(5)]
    assert len(shelf.sent) == 1


async def test_of_each_the_guilty_alone_are_refused_and_the_answers_stay_in_order() -> None:
    taken, broken = KeyTaken("k", "1"), ValueError("broken")
    shelf = Shelf({"3": taken, "6": broken})

    answers = await sender(shelf).enqueue_each(numbered(8))

    assert answers[3] is taken
    assert answers[6] is broken
    assert [answer.id for answer in answers if isinstance(answer, Enqueued)] == list("012457")
    assert shelf.kept == list("012457")


async def test_of_each_those_whose_key_is_busy_wait_alone() -> None:
    busy = Busy("somebody has it")
    shelf = Shelf({"2": busy})
    jobs = [job._replace(key=job.id) for job in numbered(4)]

    answers = await sender(shelf).enqueue_each(jobs)

    assert answers[2] is busy
    assert shelf.kept == list("013")


async def test_each_is_refused_as_a_whole_when_the_store_is_away() -> None:
    with pytest.raises(StoreAway):
        await sender(Shelf({"1": StoreAway("gone")})).enqueue_each(numbered(3))


async def test_of_each_what_was_kept_before_the_store_went_away_is_said_to_be() -> None:
    away = StoreAway("gone")

    class Vanishing(Shelf):
        async def enqueue(
            self, jobs: Sequence[NewJob], herald: Herald | None = None
        ) -> list[Enqueued]:
            """Go away after the first transaction that worked."""
            if self.kept:
                raise away
            return await super().enqueue(jobs, herald)

    answers = await sender(Vanishing({"3": ValueError("broken")})).enqueue_each(numbered(4))

    assert [isinstance(answer, Enqueued) for answer in answers] == [True, True, False, False]
    assert answers[2:] == [away, away]


async def test_nothing_is_each_of_nothing() -> None:
    assert await sender(Shelf({})).enqueue_each([]) == []
