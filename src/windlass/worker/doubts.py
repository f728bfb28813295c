"""What the store may have granted although its answer got lost: asked for again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from windlass.core.claim import Claim
from windlass.executors.base import Mode
from windlass.store.base import Store
from windlass.worker.front import LONG_AGO
from windlass.worker.persist import ask
from windlass.worker.standby import Standby
from windlass.worker.ways import Gear, Way

# When to ask again, in seconds, for claims whose answer got lost: the line may be cut while the
# statement still waits in the database, and be granted long after the first look.
ASK_AGAIN = (1.0, 10.0, 60.0)
# How long a worker that leaves waits to hear of such claims.
LOOK_BACK = 1.0


class Doubts:
    """Knows when to ask the store which claims it believes this worker holds."""

    def __init__(
        self, store: Store, gear: Gear, ways: Mapping[Mode, Way], standby: Standby
    ) -> None:
        """Begin without any."""
        self._store = store
        self._standby = standby
        self._gear = gear
        self._ways = ways
        self._times: list[float] = []

    @property
    def next(self) -> float | None:
        """When to ask."""
        return self._times[0] if self._times else None

    def arise(self) -> None:
        """Ask at once."""
        self._times = [LONG_AGO, *self._times]

    def answer_lost(self) -> None:
        """Ask at once and again: the claim may have been granted, or be granted yet."""
        now = self._gear.clock.monotonic()
        self._times = [LONG_AGO, *(now + after for after in ASK_AGAIN)]

    async def resolve(self) -> list[Claim]:
        """The claims that the store believes this worker holds, and of which it knows nothing."""
        now = self._gear.clock.monotonic()
        await self._standby.end()
        known = self._known()
        held = await ask(self._store.held(self._gear.worker))
        # Asked before and after: what ended meanwhile is none of these.
        known |= self._known()
        self._times = [time for time in self._times if time > now]
        return [claim for claim in held if (claim.id, claim.fence) not in known]

    async def resolve_before_leaving(self) -> list[Claim]:
        """The same if there are any, however soon they are due; it does not wait long for it."""
        if not self._times:
            return []
        async with asyncio.timeout(LOOK_BACK):
            return await self.resolve()

    def _known(self) -> set[tuple[str, int]]:
        claims: list[Iterable[Claim]] = [self._gear.settler.claims()]
        for way in self._ways.values():
            claims += [way.line.claims, (attempt.claim for attempt in way.running())]
        return {(claim.id, claim.fence) for some in claims for claim in some}
