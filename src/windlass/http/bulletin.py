"""What is told by topic: the board of the fleet, and which of the newest jobs have changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from enum import StrEnum

from windlass.app.board import Board
from windlass.clock import Clock
from windlass.core.job import JobId
from windlass.http import wire_fleet as wire
from windlass.http.answer import encode
from windlass.store.records import Counts
from windlass.store.totals import Newest

# What is larger is not sent again and again to everybody, who are told to read it.
LARGEST = 64 << 10


class Topic(StrEnum):
    """What one can listen to besides single jobs."""

    COUNTS = "counts"
    QUEUES = "queues"
    WORKERS = "workers"
    INCIDENTS = "incidents"
    JOBS = "jobs"


BOARD = frozenset({Topic.QUEUES, Topic.WORKERS, Topic.INCIDENTS})


class Bulletin:
    """Looks at what is asked for, however many ask, and tells what is news."""

    def __init__(
        self,
        board: Callable[[], Awaitable[Board]],
        newest: Callable[[], Awaitable[list[Newest]]],
        clock: Clock,
        every: float,
    ) -> None:
        """Look at the board once in `every` seconds, at the newest jobs whenever asked."""
        self._board = board
        self._newest = newest
        self._clock = clock
        self._every = every
        self._board_at = 0.0
        self._told: dict[Topic, bytes] = {}
        self._seen: dict[JobId, Newest] | None = None
        self._counted: Counts | None = None

    async def news(
        self, wanted: Collection[Topic], counted: Counts | None
    ) -> list[tuple[Topic, bytes]]:
        """What those topics tell since the last time; `counted` are the latest counts."""
        news: list[tuple[Topic, bytes]] = []
        if BOARD.intersection(wanted) and self._clock.monotonic() >= self._board_at:
            self._board_at = self._clock.monotonic() + self._every
            news += self._differing(pages(await self._board(), wanted))
        if Topic.JOBS in wanted:
            news += self._hints({one.id: one for one in await self._newest()}, counted)
        else:
            self._seen = self._counted = None  # old news to whoever comes next
        return news

    def hurry(self) -> None:
        """Look at the board again at the next turn: somebody came who has not seen it."""
        self._board_at = 0.0
        self._told.clear()

    def _differing(self, told: Mapping[Topic, bytes]) -> Iterator[tuple[Topic, bytes]]:
        for topic, document in told.items():
            if self._told.get(topic) != document:
                self._told[topic] = document
                yield topic, document

    def _hints(
        self, now: dict[JobId, Newest], counted: Counts | None
    ) -> Iterator[tuple[Topic, bytes]]:
        before, self._seen = self._seen, now
        last, self._counted = self._counted, counted
        if before is None:
            return
        changed = changes(before, now)
        recounted = counted is not None and last is not None and counted.states != last.states
        if changed or recounted or before.keys() != now.keys():
            told = [{"id": one.id, "status": one.state} for one in changed]
            more = recounted or len(changed) == len(now)
            yield Topic.JOBS, encode({"changed": told, "more": more})


def pages(board: Board, wanted: Collection[Topic]) -> dict[Topic, bytes]:
    """The documents of these topics."""
    made: dict[Topic, bytes] = {}
    if Topic.QUEUES in wanted:
        made[Topic.QUEUES] = _small([wire.queue(one) for one in board.queues])
    if Topic.WORKERS in wanted:
        made[Topic.WORKERS] = _small(wire.workers(board.fleet))
    if Topic.INCIDENTS in wanted:
        made[Topic.INCIDENTS] = _small([wire.incident(one) for one in board.incidents])
    return made


def changes(before: Mapping[JobId, Newest], now: Mapping[JobId, Newest]) -> list[Newest]:
    """The jobs that are new, and those that are otherwise than before.

    An older one that came up because others were deleted is neither.
    """
    newest = max(before, default=JobId(""))
    return [one for one in now.values() if (one.id > newest or before.get(one.id, one) != one)]


def _small(told: object) -> bytes:
    document = encode(told)
    return document if len(document) <= LARGEST else b"null"
