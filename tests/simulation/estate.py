"""What simulated workers leave behind: memory of their machine, which outlives their processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.simulation.machine import MachineClock
from tests.simulation.process import Process
from windlass.core.job import JobId, WorkerId
from windlass.core.settle import Settlement


class Estate:
    """The wills of all workers of a world."""

    def __init__(self) -> None:
        self.wills: dict[WorkerId, Will] = {}

    def begin(self, worker: WorkerId, process: Process) -> Will:
        """The will of a worker that begins."""
        will = self.wills[worker] = Will(process)
        return will

    def end(self, worker: str | None, job: str, fence: int) -> Settlement | None:
        """How an attempt ended, if it is written down."""
        will = self.wills.get(WorkerId(worker or ""))
        return None if will is None else will.ends.get((JobId(job), fence))


class Will:
    """What one worker has written down."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.ends: dict[tuple[JobId, int], Settlement] = {}

    def write(self, settlements: Sequence[Settlement]) -> None:
        """Put down how these attempts ended."""
        self.ends |= {(one.id, one.fence): one for one in settlements}


class Heritage:
    """The wills as a process of the same machine finds them, whose clock they go by."""

    def __init__(self, estate: Estate, clock: MachineClock) -> None:
        self._estate = estate
        self._clock = clock

    def ends(self, worker: WorkerId) -> Mapping[tuple[JobId, int], Settlement]:
        """How attempts of this worker ended."""
        will = self._estate.wills.get(worker)
        if will is None:
            return {}
        ahead = self._clock.offset - will.process.clock.offset
        return {key: _by_clock(end, ahead) for key, end in will.ends.items()}

    def left(self) -> list[WorkerId]:
        """Those whose process is gone."""
        return [worker for worker, will in self._estate.wills.items() if will.process.gone]

    def forget(self, worker: WorkerId) -> None:
        """Nothing of it is left to reclaim; another may have come first."""
        self._estate.wills.pop(worker, None)


def _by_clock(end: Settlement, ahead: float) -> Settlement:
    moved: dict[str, Any] = {
        name: at + ahead for name in ("started", "ended") if (at := getattr(end, name)) is not None
    }
    return end._replace(**moved)
