"""What lies between a process and the database, and between a bell and its ears."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from tests.simulation.database import REFUSED_AFTER, Fate
from tests.simulation.plan import Plan
from tests.simulation.process import Process

# An enqueue that is carried out after it was sent again, has run and ended is not promised to be
# known as the same; a pause that comes after its time would never be undone here.
NEVER_LATE = ("enqueue", "pause")
RENEWALS = ("join", "renew")
RING = 0.001
SLOWER = 20.0
LATEST = 3.0
FLAKY = 4
VERBS = ("enqueue", "claim", "settle", "renew", "effects", "cancel", "retry", "lock", "note")


class Weather:
    """Decides what becomes of each request, from the stream of the process that sends it."""

    def __init__(self, world: Any, plan: Plan) -> None:
        self.calm = False
        self.outages = 0
        self.slow = 0
        self.storm_at = -1e9  # when everybody last had trouble with the database
        self._world = world
        self._knobs = plan.knobs
        self._air = Random(f"{plan.seed}/air")
        knobs = plan.knobs
        self._rates = (
            (knobs.fails, self._fails),
            (knobs.busy, self._is_busy),
            (knobs.unanswered, self._is_unanswered),
            (knobs.unsent, self._is_unsent),
            (knobs.late, self._is_late),
        )

    def fate(self, process: Process, name: str) -> Fate:
        """What becomes of a request."""
        draw = process.weather
        delay = self._knobs.latency * (0.5 + draw())
        chance, span = draw(), draw()
        if self.calm:
            return Fate(delay, delay / 2)
        if self.slow or self.outages:
            self.storm_at = self._world.kernel.now
        if self.slow:
            delay *= SLOWER
            process.hurt(renewing=_any(RENEWALS, name))
        if self.outages or process.cut:
            # An outage is nobody's own fault: whoever could not renew then is not dead.
            process.hurt(renewing=False)
            return Fate(None, told=REFUSED_AFTER + (span if chance < 0.3 else 0.0))
        if process.flaky:
            process.flaky -= 1
            return self._hurts(process, name, self._fails(name, delay, span))
        for share, befall in self._rates:
            chance -= share
            if chance < 0:
                fate = befall(name, delay, span)
                # A line that was cut under a request is often not up again for the next.
                process.flaky = FLAKY if fate.ambiguous and span > 0.6 else 0
                return self._hurts(process, name, fate)
        return Fate(delay, delay / 2)

    def _fails(self, _name: str, delay: float, _span: float) -> Fate:
        return Fate(None, told=delay)

    def _is_busy(self, _name: str, delay: float, span: float) -> Fate:
        return Fate(None, told=delay + span, busy=True)

    def _is_unanswered(self, name: str, delay: float, _span: float) -> Fate:
        self._world.reached(f"answer lost: {_verb(name)}")
        return Fate(delay, told=2 * delay, ambiguous=True)

    def _is_unsent(self, name: str, delay: float, _span: float) -> Fate:
        self._world.reached(f"request lost: {_verb(name)}")
        return Fate(None, told=2 * delay, ambiguous=True)

    def _is_late(self, name: str, delay: float, span: float) -> Fate:
        if _any(NEVER_LATE, name):
            return self._is_unsent(name, delay, span)
        self._world.reached(f"carried out late: {_verb(name)}")
        return Fate(delay + LATEST * span, told=delay, ambiguous=True)

    def _hurts(self, process: Process, name: str, fate: Fate) -> Fate:
        # Whoever waits for a file waits with all that it has to say, the next renewal included;
        # over the connections of a pool that goes by itself.
        lasts = fate.told if fate.busy and process.shared else 0.0
        process.hurt(renewing=_any(RENEWALS, name), lasts=lasts)
        return fate

    def lands(self, process: Process, name: str) -> bool:
        """Whether a request of a process still arrives that may have died meanwhile."""
        if not process.dead:
            return True
        self._world.reached(f"cut by a kill on its way: {_verb(name)}")
        return process.weather() < 0.5

    def carries(self) -> Sequence[float]:
        """When a ring arrives at one ear: never, once, or twice."""
        lost, double = self._air.random(), self._air.random()
        if self.calm:
            return (RING,)
        if lost < self._knobs.lost_rings:
            return ()
        return (RING, RING + lost) if double < self._knobs.double_rings else (RING,)


def _any(words: Sequence[str], name: str) -> bool:
    return any(word in name for word in words)


def _verb(name: str) -> str:
    """What a statement is for."""
    return next((verb for verb in VERBS if verb in name), "other")
