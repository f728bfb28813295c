"""Claims that wait for a free place, best first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from windlass.core import placement
from windlass.core.claim import Claim
from windlass.core.job import JobId


class Line:
    """The claims held for one way of running, and how fast that way gets through them."""

    def __init__(self) -> None:
        """Begin empty."""
        self.claims: deque[Claim] = deque()
        self.finished = 0  # attempts, ever
        self.pace = 0.0  # attempts per second of work
        # Whoever takes a claim and leaves this few calls for more; -1 while nobody wants to know.
        self.low = -1
        self._sampled = (0.0, 0)  # when, and how many had finished
        self._busy = False
        self._waited: frozenset[JobId] = frozenset()  # when somebody last asked

    def __len__(self) -> int:
        """How many wait."""
        return len(self.claims)

    def add(self, claims: Sequence[Claim]) -> None:
        """Let claims, best first, stand where they belong."""
        ahead = self.claims
        if ahead and claims and _place(claims[0]) < _place(ahead[-1]):
            self.claims = deque(sorted((*ahead, *claims), key=_place))
        else:
            ahead.extend(claims)

    def remove(self, job: JobId, fence: int) -> Claim | None:
        """Take one out of turn."""
        for claim in self.claims:
            if claim.id == job and claim.fence == fence:
                self.claims.remove(claim)
                return claim
        return None

    def take_back(self, count: int) -> list[Claim]:
        """Take the last ones out."""
        return [self.claims.pop() for _ in range(min(count, len(self.claims)))]

    def lingers(self) -> bool:
        """Whether some wait that did so already when this was asked before.

        Those that have just come are not to be judged by how slow their line was before them.
        """
        before, self._waited = self._waited, frozenset(claim.id for claim in self.claims)
        return not before.isdisjoint(self._waited)

    def sample(self, now: float, *, busy: bool) -> None:
        """Measure the pace since the last time, if there was work to do."""
        since, finished = self._sampled
        if self._busy:
            self.pace = placement.pace(self.pace, self.finished - finished, now - since)
        self._sampled = (now, self.finished)
        self._busy = busy


def by_rank(claims: Iterable[Claim]) -> list[Claim]:
    """Best first."""
    return sorted(claims, key=_place)


def _place(claim: Claim) -> tuple[int, JobId]:
    return claim.rank, claim.id
