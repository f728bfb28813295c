"""What happens in a worker process is counted by its supervisor, who may be slow to listen."""

from typing import cast

from tests.recorder import Recorder
from tests.waiting import until
from windlass.core.job import JobId, Lane, State, WorkerId
from windlass.observe.events import AttemptFailed, AttemptsSettled, JobsClaimed
from windlass.observe.relay import unpacked
from windlass.worker.child import MOST_TOLD, Reporter
from windlass.worker.control import Channel, Happened, Order, Report, Scheduled

WORKER, JOB = WorkerId("w1"), JobId("j1")
CLAIMED = JobsClaimed(WORKER, Lane.OPEN, 5, 0.25)


class Line:
    """A channel that keeps what is said."""

    def __init__(self) -> None:
        self.said: list[Report] = []
        self.full = False

    def say(self, report: Report) -> None:
        """Keep it."""
        self.said.append(report)

    hint = say

    def reporter(self, *, counted: bool) -> Reporter:
        """One who reports over this line."""
        return Reporter(cast("Channel[Report, Order]", self), counted=counted)

    def events(self) -> Recorder:
        """What there is to count."""
        told = Recorder()
        for report in self.said:
            if isinstance(report, Happened):
                for event in report.events:
                    told.on(unpacked(event))
        return told


async def test_what_is_counted_is_told_in_portions() -> None:
    line = Line()
    reporter = line.reporter(counted=True)

    for _ in range(50):
        reporter.on(CLAIMED)
    reporter.on(AttemptFailed(WORKER, JOB, "mail", 1, "oh"))

    await until(lambda: line.said)
    assert len(line.said) == 1
    assert line.events().events == [CLAIMED] * 50


async def test_nobody_counting_only_what_must_be_known_is_told() -> None:
    line = Line()
    reporter = line.reporter(counted=False)

    reporter.on(CLAIMED)
    reporter.on(AttemptsSettled(WORKER, {State.SCHEDULED: 1}, 0.1))
    reporter.flush()

    assert line.said == [Scheduled()]


async def test_a_supervisor_that_reads_nothing_costs_bounded_memory() -> None:
    line = Line()
    line.full = True
    reporter = line.reporter(counted=True)

    for _ in range(MOST_TOLD + 500):
        reporter.on(CLAIMED)
    line.full = False

    await until(lambda: line.said)
    assert len(line.events().events) == MOST_TOLD
