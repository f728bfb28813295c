"""Ends attempts in batches: whatever ended while one batch was on its way goes into the next."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Protocol, TypeAlias

from windlass.clock import Chance, Clock
from windlass.core import placement
from windlass.core.backoff import DEFAULT_BACKOFF
from windlass.core.claim import Claim
from windlass.core.job import State, WorkerId
from windlass.core.outcome import Failed
from windlass.core.settle import Settlement, settle
from windlass.observe.events import (
    AttemptsSettled,
    ChoreFailed,
    ClaimsLost,
    JobsHandedBack,
    Observer,
)
from windlass.store.base import Store
from windlass.worker.notes import Notes
from windlass.worker.persist import AWAY, Patience, Unfit, ask

Ended: TypeAlias = tuple[Claim, Settlement]

# Larger batches gain nothing, and hold their locks longer.
BATCH = 1_000
# What ended longer ago than that is in the will, however much ends in one turn of the event loop:
# to write takes a hundredth of it.
UNWRITTEN = 0.0002


class Will(Protocol):
    """Where ends stand that are not committed yet, for whoever finds this worker dead."""

    def write(self, settlements: Sequence[Settlement]) -> None:
        """Put down how these attempts ended."""
        ...


class _Hopeless(Exception):
    """The store is away, and nobody may wait for it any longer."""


_claim_of = itemgetter(0)
_settlement_of = itemgetter(1)


def _size(ended: Ended) -> int:
    claim, settlement = ended
    return len(claim.payload) + len(settlement.result or "")


class Settler:
    """Sends settlements until the store has answered for each; there is no timer.

    One batch is on its way at a time, so that a slow database makes batches larger instead of
    more. The worker claims less while many are waiting.
    """

    def __init__(  # noqa: PLR0913 — the ports of a settler, each by its name
        self,
        *,
        worker: WorkerId,
        store: Store,
        notes: Notes,
        clock: Clock,
        chance: Chance,
        observer: Observer,
        will: Will | None = None,
    ) -> None:
        """Begin with nothing to settle."""
        self._worker = worker
        self._store = store
        self._notes = notes
        self._clock = clock
        self._observer = observer
        self._will = will
        self._loop = asyncio.get_running_loop()
        self._patience = Patience(chance)
        self._waiting: list[Ended] = []
        self._written = 0  # of those that wait, in the will
        self._write_by = 0.0
        self._sent: list[Ended] = []
        self._more = asyncio.Event()
        self._closing: Callable[[], bool] | None = None
        # Told of each claim whose end is committed, or no longer this worker's affair.
        self.on_settled: Callable[[Sequence[Claim]], None] = lambda _: None
        # Told when jobs stand in line again that this worker gave up.
        self.on_handed_back: Callable[[], None] = lambda: None

    @property
    def unsettled(self) -> int:
        """How many attempts have ended but are not known to be settled."""
        return len(self._waiting) + len(self._sent)

    def claims(self) -> Iterable[Claim]:
        """The claims of those attempts."""
        yield from map(_claim_of, self._waiting)
        yield from map(_claim_of, self._sent)

    def put(self, claim: Claim, settlement: Settlement) -> None:
        """Take the end of an attempt."""
        if self._written == len(self._waiting):
            self._loop.call_soon(self._write)
        self._waiting.append((claim, settlement))
        if settlement.ended is not None and settlement.ended >= self._write_by:
            self._write_by = settlement.ended + UNWRITTEN
            self._write()
        if len(self._waiting) == 1:
            self._more.set()

    def settled_elsewhere(self, claim: Claim) -> None:
        """Take note of an attempt that was settled by its own transaction."""
        self._notes.forget([claim])
        self._observer.on(AttemptsSettled(self._worker, {State.COMPLETED: 1}, 0.0))
        self.on_settled([claim])

    def close(self, hopeless: Callable[[], bool]) -> None:
        """End once everything is settled, or the store is away and it is hopeless to wait on."""
        self._closing = hopeless
        self._notes.hopeless = hopeless
        self._more.set()

    async def run(self) -> None:
        """Settle until closed."""
        try:
            while self._waiting or self._closing is None:
                await self._more.wait()
                self._more.clear()
                while self._waiting:
                    await self._flush()
        except _Hopeless:
            # Their claims live by a lease that runs out, so they are reclaimed and run again.
            text = f"{self.unsettled} attempts were left to be reclaimed"
            self._observer.on(ChoreFailed("settle", text, away=True))
            self.on_settled([*self.claims()])

    def _write(self) -> None:
        """Put down what ended since the last time, but for what has notes to be kept before."""
        new, self._written = self._waiting[self._written :], len(self._waiting)
        if self._will is not None:
            self._will.write([end for claim, end in new if not self._notes.have(claim)])

    async def _flush(self) -> None:
        self._write()
        count = placement.leading([*map(_size, self._waiting[:BATCH])])
        self._sent, self._waiting = self._waiting[:count], self._waiting[count:]
        self._written -= count
        claims = list(map(_claim_of, self._sent))
        await self._notes.flush(claims)
        if self._will is not None:
            self._will.write([end for claim, end in self._sent if self._notes.have(claim)])
        await self._settle(self._sent)
        self._notes.forget(claims)
        self._sent = []
        self.on_settled(claims)

    async def _settle(self, batch: Sequence[Ended]) -> None:
        settlements = list(map(_settlement_of, batch))
        began = self._clock.monotonic()
        try:
            refused = await self._insist(settlements)
        except Unfit as unfit:
            await self._part(batch, unfit)
            return
        self._tell(settlements, refused, self._clock.monotonic() - began)

    async def _insist(self, settlements: Sequence[Settlement]) -> Sequence[Settlement]:
        """Send the same batch until it is answered; one that was applied is applied once."""
        while True:
            try:
                refused = await ask(self._store.settle(settlements))
            except AWAY as away:
                self._observer.on(ChoreFailed("settle", str(away), away=True))
                if self._closing is not None and self._closing():
                    raise _Hopeless from away
                await self._patience.pause()
                continue
            self._patience.reset()
            return refused

    async def _part(self, batch: Sequence[Ended], unfit: Unfit) -> None:
        """Halve a batch that the store will not have, until the guilty one stands alone."""
        if len(batch) > 1:
            middle = len(batch) // 2
            await self._settle(batch[:middle])
            await self._settle(batch[middle:])
            return
        [(claim, settlement)] = batch
        self._observer.on(ChoreFailed("settle", f"job {claim.id}: {unfit}"))
        await self._fail(claim, settlement, unfit)

    async def _fail(self, claim: Claim, settlement: Settlement, unfit: Unfit) -> None:
        ending = Failed(f"its end could not be stored: {unfit}", final=True)
        failed = settle(
            claim,
            ending,
            backoff=DEFAULT_BACKOFF,
            chance=0.0,
            started=settlement.started,
            ended=settlement.ended,
        )
        try:
            self._tell([failed], await self._insist([failed]), 0.0)
        except Unfit as worse:
            # Nothing about the job can be stored; it is reclaimed when this worker has ended.
            self._observer.on(ChoreFailed("settle", f"job {claim.id}: {worse}"))

    def _tell(
        self, settlements: Sequence[Settlement], refused: Sequence[Settlement], took: float
    ) -> None:
        if refused:
            lost = {(one.id, one.fence) for one in refused}
            settlements = [one for one in settlements if (one.id, one.fence) not in lost]
            self._observer.on(ClaimsLost(self._worker, [one.id for one in refused]))
        counts = Counter([one.state for one in settlements])
        self._observer.on(AttemptsSettled(self._worker, counts, took))
        if State.PENDING in counts:
            back = [one.id for one in settlements if one.state is State.PENDING]
            self._observer.on(JobsHandedBack(self._worker, back))
            self.on_handed_back()
