"""The walk of a bulk action, over jobs that are only pretended."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from tests.embedded import OwnClock
from windlass.core.bulk import Action, Chunk, Place, Step
from windlass.core.errors import Busy, ClaimLost
from windlass.core.job import JobId, State
from windlass.core.search import JobFilter
from windlass.executors.base import Discard, Snooze
from windlass.executors.bulk import Bulk, Order, Tally

NOW = datetime(2026, 11, 15, tzinfo=UTC)


@dataclass
class Found:
    """Some of the jobs."""

    ids: Sequence[JobId]
    next: JobId | None


@dataclass
class Shelf:
    """Jobs by number, the highest first; every chunk is remembered."""

    count: int
    begin: Place = field(default_factory=lambda: Place(until=NOW))
    asked: list[JobFilter] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    fails: Exception | None = None

    async def place(self, job_id: JobId, fence: int) -> Place:
        """Where to begin."""
        assert (job_id, fence) == ("me", 7)
        return self.begin

    async def matching(self, which: JobFilter) -> Found:
        """The jobs below the place."""
        self.asked.append(which)
        first = self.count if which.before is None else int(which.before) - 1
        ids = [JobId(str(number)) for number in range(first, 0, -1)][: which.limit]
        return Found(ids, ids[-1] if ids and ids[-1] != "1" else None)

    async def size(self, _which: JobFilter) -> int:
        """How many are left."""
        return self.count - self.begin.matched

    async def advance(self, chunk: Chunk) -> Step:
        """Change all but one."""
        if self.fails is not None:
            raise self.fails
        self.chunks.append(chunk)
        matched = len(chunk.ids)
        place = chunk.place.past(chunk.before, matched=matched, changed=matched - 1)
        return Step(place, (), asked=False)


class Notebook:
    """A context that remembers what was said."""

    id, fence = JobId("me"), 7

    def __init__(self) -> None:
        self.fractions: list[float] = []
        self.said: list[str] = []

    def progress(self, fraction: float, message: str) -> None:
        """Take note."""
        self.fractions.append(fraction)
        self.said.append(message)


@dataclass
class Scene:
    """An action, what it works with, and what it says."""

    shelf: Shelf
    ctx: Any = field(default_factory=Notebook)
    rung: list[Step] = field(default_factory=list)
    clock: OwnClock = field(default_factory=OwnClock)

    async def run(self, which: str = "status:failed", **given: Any) -> Tally:
        """Do it, to jobs like these."""
        order = Order(**{"action": Action.DELETE, "filter": which, **given})
        return await Bulk(self.shelf, self._ring, self.clock).execute(order, self.ctx)

    async def _ring(self, step: Step) -> None:
        self.rung.append(step)


async def test_an_action_walks_in_chunks_of_a_thousand_from_the_newest_to_the_oldest() -> None:
    scene = Scene(Shelf(2_500))

    tally = await scene.run()

    assert tally == Tally(matched=2_500, changed=2_497)
    assert [len(chunk.ids) for chunk in scene.shelf.chunks] == [1_000, 1_000, 500]
    assert [which.before for which in scene.shelf.asked] == [None, "1501", "501"]
    assert {which.states for which in scene.shelf.asked} == {frozenset({State.FAILED})}


async def test_every_chunk_carries_the_claim_and_the_place_before_it() -> None:
    scene = Scene(Shelf(2_000))

    await scene.run()

    first, second = scene.shelf.chunks
    assert (first.job, first.fence, first.action) == ("me", 7, Action.DELETE)
    assert (first.place, first.before) == (Place(until=NOW), "1001")
    assert (second.place.before, second.place.matched, second.before) == ("1001", 1_000, None)


async def test_an_action_goes_on_from_where_it_was() -> None:
    begin = Place(until=NOW, before=JobId("501"), matched=1_500, changed=1_400)
    scene = Scene(Shelf(2_000, begin))

    tally = await scene.run()

    assert tally == Tally(matched=2_000, changed=1_899)
    assert scene.ctx.fractions == [1.0]


async def test_an_action_that_had_come_to_its_end_only_says_so() -> None:
    scene = Scene(Shelf(10, Place(until=NOW, matched=10, changed=9, over=True)))

    assert await scene.run() == Tally(matched=10, changed=9)
    assert scene.shelf.chunks == []


async def test_an_action_says_how_far_it_has_come() -> None:
    scene = Scene(Shelf(2_000))

    await scene.run()

    assert scene.ctx.fractions == [0.5, 1.0]
    assert scene.ctx.said[-1] == "2,000 jobs matched, 1,998 changed"


async def test_every_chunk_rings_after_its_commit() -> None:
    scene = Scene(Shelf(1_500))

    await scene.run()

    assert [step.place.matched for step in scene.rung] == [1_000, 1_500]


async def test_a_rate_makes_smaller_chunks_with_time_between_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    scene = Scene(Shelf(45))

    await scene.run(rate=20)

    assert [len(chunk.ids) for chunk in scene.shelf.chunks] == [20, 20, 5]
    assert pauses == [1.0, 1.0, 0.25]


@pytest.mark.parametrize("which", ["colour:red", "status:pending", " "])
async def test_an_order_that_cannot_be_is_not_tried_again(which: str) -> None:
    scene = Scene(Shelf(1))

    with pytest.raises(Discard):
        await scene.run(which)


async def test_a_chunk_that_others_are_in_the_way_of_is_tried_again_later() -> None:
    scene = Scene(Shelf(1, fails=Busy("a deadlock")))

    with pytest.raises(Snooze):
        await scene.run()


async def test_a_lost_claim_ends_the_attempt() -> None:
    scene = Scene(Shelf(1, fails=ClaimLost("gone")))

    with pytest.raises(ClaimLost):
        await scene.run()


async def test_ages_are_counted_from_the_beginning_and_not_from_this_attempt() -> None:
    begin = Place(until=datetime(2026, 11, 1, tzinfo=UTC))
    scene = Scene(Shelf(1, begin))

    await scene.run("age:>1d")

    [which] = scene.shelf.asked
    assert which.created_before == datetime(2026, 10, 31, tzinfo=UTC)
    assert replace(which, created_before=None).limit == 1_000
