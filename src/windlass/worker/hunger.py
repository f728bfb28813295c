"""How much a worker can take on right now, lane by lane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from windlass.core import placement
from windlass.core.claim import Claim
from windlass.core.placement import Appetite, Berth
from windlass.executors.base import Mode
from windlass.worker.settings import WorkerSettings
from windlass.worker.settler import Settler
from windlass.worker.slots import Slots
from windlass.worker.ways import Way

NONE: Appetite[Mode] = Appetite(frozenset(), 0)


class Hunger:
    """Weighs what the ways of running have room for against what they hold already."""

    def __init__(
        self, settings: WorkerSettings, slots: Slots, settler: Settler, ways: Mapping[Mode, Way]
    ) -> None:
        """Begin without knowing which ways the jobs will take."""
        self._settings = settings
        self._slots = slots
        self._settler = settler
        self._ways = ways
        self._portion = settings.claim_batch
        self._berths: dict[Mode, Berth] = {}
        self._open = 0  # claims that wait, run or are unsettled
        self.start_anew()

    def start_anew(self) -> None:
        """Forget which ways the jobs took: there may be more ways now."""
        self._shares = dict.fromkeys(self._ways, 1 / max(len(self._ways), 1))

    @property
    def held(self) -> int:
        """Claims that wait for a place."""
        return sum([len(way.line.claims) for way in self._ways.values()])

    @property
    def headroom(self) -> int:
        """How many more claims there may be, waiting, running or unsettled."""
        return self._most_open - self._open

    @property
    def _most_open(self) -> int:
        """As many as the settings allow; of large jobs every slot's, and what comes at once."""
        if self._portion == self._settings.claim_batch:
            return self._settings.most_open
        return min(self._settings.slots + 2 * self._portion, self._settings.most_open)

    @property
    def idle(self) -> bool:
        """Whether nothing waits, runs or is on its way to be settled: nothing a death could hit."""
        return not self._open

    @property
    def ready(self) -> bool:
        """Whether a job that asks for no thread could begin at once, whatever way it takes."""
        return all(berth.free > berth.held for berth in self._berths.values())

    @property
    def stuck(self) -> bool:
        """Whether something runs that may never end, so that it is of no use to wait until idle."""
        return self._slots.given_up > 0

    @property
    def crowded(self) -> bool:
        """Whether there would be room if less were on its way to be settled."""
        if self.headroom <= 0:
            return True
        return bool(self._settler.unsettled) and not self._slots.running and not self.held

    def weigh(self, now: float) -> None:
        """Measure how fast each way gets through its line, and how much it has room for.

        Everything else goes by what was weighed last, so weigh again after waiting for anything.
        """
        running = self._slots.running
        free_slots = self._slots.limit - running
        held = 0
        for mode, way in self._ways.items():
            waiting = len(way.line.claims)
            way.line.sample(now, busy=bool(way.count or waiting))
            self._berths[mode] = Berth(
                free=max(min(way.capacity - way.count, free_slots), 0),
                held=waiting,
                prefetch=placement.prefetch(way.line.pace, self._settings.max_held),
                share=self._shares[mode],
            )
            held += waiting
        self._open = running + held + self._settler.unsettled

    def for_open(self) -> Appetite[Mode]:
        """What to claim from lane `open`: as much as there is room for, and a little ahead."""
        return placement.appetite(
            self._berths,
            free_slots=self._slots.limit - self._slots.running,
            limit=min(self._portion, self.headroom),
        )

    def for_threads(self) -> Appetite[Mode]:
        """What to claim from lane `threads`: as much as there are threads, and a place soon."""
        able = {mode: berth.room for mode, berth in self._berths.items() if berth.room > 0}
        limit = min(self._slots.free_threads, self.headroom, sum(able.values()))
        return Appetite(frozenset(able), limit) if limit > 0 else NONE

    def for_alone(self) -> Appetite[Mode]:
        """What to claim from lane `alone`: one, while nothing else is there."""
        return Appetite(frozenset(self._ways), 1) if self.idle else NONE

    def came(self, claims: Mapping[Mode, list[Claim]], asked: Iterable[Mode]) -> None:
        """Learn from a claim which ways the jobs take, and how large they are."""
        counts = {mode: len(theirs) for mode, theirs in claims.items()}
        if any(counts.values()):
            sizes = [len(claim.payload) for theirs in claims.values() for claim in theirs]
            self._portion = placement.portion(sizes, self._settings.claim_batch)
        self._shares = placement.shares(self._shares, counts, asked)

    def call_when_low(self) -> None:
        """Have every way that has no need of claims now call when it does."""
        for mode, berth in self._berths.items():
            self._ways[mode].line.low = -1 if berth.hungry else berth.prefetch // 2

    def call_when_one_ends(self) -> None:
        """Have every way call when an attempt ends, whatever it holds."""
        for way in self._ways.values():
            way.line.low = self._settings.most_open

    def surplus(self) -> list[Claim]:
        """Take those claims out of line that have waited, and whose turn will not come soon."""
        back: list[Claim] = []
        for line in [way.line for way in self._ways.values() if way.line.lingers()]:
            back += line.take_back(placement.surplus(len(line), line.pace))
        return back
