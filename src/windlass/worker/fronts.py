"""Where a worker stands in each lane, by the ways in which it has room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from windlass.core.bulk import BULK_QUEUE, BULK_TYPE
from windlass.core.job import Lane
from windlass.executors.base import Mode
from windlass.worker.front import LONG_AGO, Front

# Up to this many named queues the store walks the queues and not the lane, so marks say nothing.
FEW_QUEUES = 50


class Fronts:
    """One front for each lane and each set of ways that had room when it was looked at."""

    def __init__(self, queues: Sequence[str] | None, modes: Mapping[str, Mode]) -> None:
        """Look in these queues, for types that are run in these ways."""
        self._queues = queues
        self._modes = modes
        self._fronts: dict[tuple[Lane, frozenset[Mode]], Front] = {}

    def __iter__(self) -> Iterator[Front]:
        """All that were looked at."""
        return iter(self._fronts.values())

    def know(self, modes: Mapping[str, Mode]) -> None:
        """Look for these types from now on, from the beginning of each line."""
        self._modes = modes
        self._fronts.clear()

    def ring(self, *, wide: bool) -> None:
        """Look at every lane; unless `wide`, not at the one for threads."""
        for front in self:
            if wide or front.lane is not Lane.THREADS:
                front.rung()

    def freed(self) -> None:
        """Look for jobs that had not enough threads."""
        for front in self:
            if front.lane is Lane.THREADS:
                front.due = LONG_AGO

    def reset(self) -> None:
        """Forget how far each has come: the lines were put in another order."""
        for front in self:
            front.reset()

    def at(self, lane: Lane, ways: frozenset[Mode]) -> Front:
        """The one for types that are run in these ways."""
        front = self._fronts.get((lane, ways))
        if front is None:
            front = self._fronts[lane, ways] = self._begin(lane, ways)
        return front

    def _begin(self, lane: Lane, ways: frozenset[Mode]) -> Front:
        types = [type_ for type_, mode in self._modes.items() if mode in ways]
        # While there is room for our own types only, everybody else's stay out of the way.
        queues = self._queues if types != [BULK_TYPE] else [BULK_QUEUE]
        return Front(
            lane=lane,
            types=types,
            queues=queues,
            # Marks would hide what a claim passes by as too wide for the threads just free.
            marked=lane is Lane.OPEN and (queues is None or len(queues) > FEW_QUEUES),
        )
