"""The ways of running an attempt, and what each of them needs from the worker."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from msgspec import Struct

from windlass.clock import Chance, Clock
from windlass.core.backoff import DEFAULT_BACKOFF
from windlass.core.claim import Claim
from windlass.core.job import WorkerId
from windlass.core.outcome import Cancelled, Done, Ending, Failed, HandedBack
from windlass.core.settle import done, settle
from windlass.executors.base import Executor, Mode
from windlass.executors.context import Context
from windlass.observe.events import AttemptFailed, Observer
from windlass.worker.attempt import Attempt, Told
from windlass.worker.desk import LocalDesk
from windlass.worker.lease import Lease
from windlass.worker.line import Line
from windlass.worker.notes import Notes
from windlass.worker.pools import Helpers
from windlass.worker.settler import Settler
from windlass.worker.slots import Slots
from windlass.worker.transaction import Opener


class Way(Protocol):
    """Runs attempts on the loop, in threads or in processes, from a line of its own."""

    line: Line
    count: int  # attempts it runs

    @property
    def capacity(self) -> int:
        """How many it can run at once."""
        ...

    def feed(self) -> None:
        """Start what can be started; called when claims, slots or trust came."""
        ...

    def running(self) -> Iterable[Attempt]:
        """The attempts it runs."""
        ...

    def tell(self, attempt: Attempt, why: Told) -> None:
        """Tell an attempt to stop, as firmly as this way can. Telling twice changes nothing."""
        ...

    async def close(self) -> None:
        """Let go of tasks, threads and processes."""
        ...


class Gear(Struct, kw_only=True):
    """What the ways of running share: who may start, and what happens when something ended."""

    worker: WorkerId
    executors: Callable[[str], Executor]
    slots: Slots
    settler: Settler
    opener: Opener
    helpers: Helpers
    lease: Lease
    clock: Clock
    chance: Chance
    observer: Observer
    on_low: Callable[[], None]  # a line has run low
    on_fault: Callable[[BaseException], None]  # the worker's own code has failed
    lapses: float = 0  # of the lease, as far as the worker has seen to them
    stopping: bool = False

    @property
    def notes(self) -> Notes:
        """Where progress and lines go."""
        return self.opener.notes

    def may_start(self, now: float) -> bool:
        """Whether an attempt may start; not before a lapse was seen to, though it is past."""
        lease = self.lease
        return now < lease.deadline and lease.lapses == self.lapses and not self.stopping

    def begin(self, claim: Claim, now: float) -> Attempt:
        """An attempt for a claim whose slot is taken."""
        executor = self.executors(claim.type)
        attempt = Attempt(claim, executor, now)
        if claim.threads > 1:
            self._mark_if_cramped(claim)
        if executor.wants_context and executor.mode is not Mode.PROCESS:
            desk = LocalDesk(attempt, self.lease, self.opener, self.helpers)
            attempt.context = Context(claim, desk, self.slots.threads_of(claim))
        return attempt

    def ended(self, way: Way, attempt: Attempt, ending: Ending, now: float) -> None:
        """Settle an attempt and give its place back."""
        if attempt.settled or attempt.abandoned:
            self._ended_late(attempt, ending)
        else:
            self.settle(attempt, ending, now)
        self.release(way, attempt.claim)
        if attempt.abandoned:
            self.slots.ended_late()

    def abandon(self, attempt: Attempt, ending: Ending) -> None:
        """Settle an attempt that cannot be stopped; its place stays taken until it ends."""
        if attempt.abandoned:
            return
        attempt.abandoned = True
        self.slots.give_up()
        if not attempt.settled:
            self.settle(attempt, ending, self.clock.monotonic())

    def settle(self, attempt: Attempt, ending: Ending, now: float) -> None:
        """Send the end of an attempt on its way."""
        claim = attempt.claim
        if type(ending) is Done:
            self.settler.put(claim, done(claim, ending.result, attempt.started, now))
            return
        if type(ending) is Failed:
            self._note_failure(claim, ending.error)
        settlement = settle(
            claim,
            ending,
            backoff=attempt.backoff,
            chance=self.chance.random(),
            started=attempt.started,
            ended=now,
        )
        self.settler.put(claim, settlement)

    def release(self, way: Way, claim: Claim) -> None:
        """Give an attempt's place back; its threads too, once it is settled."""
        line = way.line
        line.finished += 1
        way.count -= 1
        if claim.threads:
            self.slots.drop(claim)
        self.slots.give()
        if len(line.claims) <= line.low:
            line.low = -1
            self.on_low()

    def hand_back(self, claims: Iterable[Claim]) -> None:
        """Give up claims that were not begun."""
        for claim in claims:
            if claim.threads:
                self.slots.drop(claim)
            settlement = settle(claim, HandedBack(), backoff=DEFAULT_BACKOFF, chance=0.0)
            self.settler.put(claim, settlement)

    def cancel(self, claim: Claim) -> None:
        """Settle a claim that was not begun, and that somebody asked to cancel."""
        if claim.threads:
            self.slots.drop(claim)
        settlement = settle(claim, Cancelled(), backoff=DEFAULT_BACKOFF, chance=0.0)
        self.settler.put(claim, settlement)

    def _mark_if_cramped(self, claim: Claim) -> None:
        """Say in the job's log that it has fewer threads than it asked for."""
        if self.slots.threads_of(claim) < claim.threads:
            text = f"asked for {claim.threads} threads, more than any live worker has: runs on one"
            self.notes.line(claim, "warning", text)

    def _ended_late(self, attempt: Attempt, ending: Ending) -> None:
        """What comes after the end changes nothing; the log tells of it."""
        if attempt.settled:
            self.settler.settled_elsewhere(attempt.claim)
        if type(ending) is Failed:
            self._note_failure(attempt.claim, f"after its end: {ending.error}")

    def _note_failure(self, claim: Claim, error: str) -> None:
        self.observer.on(
            AttemptFailed(self.worker, claim.id, claim.type, claim.attempts + 1, error)
        )
