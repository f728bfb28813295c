"""What must hold, checked after every commit by a model that knows nothing of the product's code.

It is fed from three sides: by the database's triggers (what was committed), by the handlers (what
really happened to an execution) and by the world (who was well, and who was not). The numbers I1 to
I19 are those of the list of invariants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.simulation.audit import SAID, Commit
from tests.simulation.plan import BACKOFF_BASE, BACKOFF_CAP, JobPlan
from windlass.core.job import FINISHED
from windlass.core.settle import Settlement

WAITING = ("pending", "scheduled")
CLAIMS = ("claim", "claim_open", "claim_queues", "claim_many_queues")
SETTLES = ("settle_done", "settle_finish", "settle_return")
HANDS = "enqueue_handed"
ENQUEUES = ("enqueue", "enqueue_alike", "enqueue_one", "enqueue_again", HANDS)
# After a death alone a job waits by the usual backoff, whatever its own is.
CRASH_BASE = 2.0
JITTER = 1.1
ROUNDING_US = 2
# Between seeing that a lease ran out and acting upon it the clock may be set, and nobody can know.
JUST_NOW = 0.5
LATER = 0.7  # what a handler that asks for a pause asks for


class Violation(AssertionError):
    """An invariant does not hold."""


class Live(NamedTuple):
    """A row of the live jobs."""

    id: str
    state: str
    lane: str | None  # none until somebody puts it in line, if it came alone
    fence: int
    worker: str | None
    attempts: int
    failures: int
    crashes: int
    run_at: int
    asked: int | None
    threads: int


class Finished(NamedTuple):
    """A row of the history."""

    id: str
    state: str
    reason: str | None
    fence: int
    worker: str | None
    attempts: int
    failures: int
    crashes: int
    result: str | None


@dataclass(slots=True)
class Execution:
    """One run of a handler, as it really was."""

    process: str
    began: float
    end: str | None = None
    ended: float = 0.0
    threads: int = 0
    deaf: bool = False  # does not stop when told to; its fence is all that holds it


@dataclass(slots=True)
class Worker:
    """A worker as the fleet knows it."""

    node: str
    threads: int
    alone: bool
    ended: bool


class Said(NamedTuple):
    """The statement that changes rows now, and what was presented to it."""

    name: str = ""
    fences: Mapping[str, int] | None = None
    worker: str | None = None
    reclaims: bool = False


def process_of(token: str) -> str:
    """Names say who made them."""
    return token.rsplit("-", 2)[0]


@dataclass(slots=True)
class Model:
    """Every job, node, key and lock as it should be."""

    spec: Callable[[str], JobPlan]
    well_for: Callable[[str], float | None]  # seconds a process was well; None if it is dead
    acts: Callable[[str], bool]  # whether a process runs, and could heed its clock
    ttl: float
    now: Callable[[], float]
    now_us: Callable[[], int]
    sometimes: Callable[[str], None]
    willed: Callable[[str | None, str, int], Settlement | None]  # by worker, job and fence
    clock_set_at: float = -1e9
    somebody_deletes_nodes: bool = False
    live: dict[str, Live] = field(default_factory=dict)
    apart: set[str] = field(
        default_factory=set
    )  # those of them that came alone, and are in no line
    history: dict[str, Finished] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    nodes: dict[str, int] = field(default_factory=dict)
    workers: dict[str, Worker] = field(default_factory=dict)
    keys: dict[str, tuple[str, int]] = field(default_factory=dict)
    locks: dict[str, tuple[int, int]] = field(default_factory=dict)
    paused: set[str] = field(default_factory=set)
    left_standby: str | None = None  # the worker that last stood by no longer
    homes: dict[str, str] = field(
        default_factory=dict
    )  # of workers: the process that enlisted them
    posts: dict[str, str] = field(default_factory=dict)  # of workers: the node that hired them
    attempts: dict[tuple[str, int], str] = field(default_factory=dict)  # how each ended
    effects: dict[str, int] = field(default_factory=dict)
    executions: dict[tuple[str, int], Execution] = field(default_factory=dict)
    acknowledged: dict[str, str] = field(default_factory=dict)
    said: Said = field(default_factory=Said)
    touched: dict[str, None] = field(default_factory=dict)
    commit: Commit = field(default_factory=lambda: Commit("", 0, ()))

    @property
    def clock_was_set(self) -> bool:
        """Whether the database's clock was ever set."""
        return self.clock_set_at >= 0

    # --- what the handlers tell -------------------------------------------------------------------

    def begins(self, job: str, fence: int, process: str, threads: int, capacity: int) -> None:
        """An execution begins."""
        _demand(
            (job, fence) not in self.executions, "I2", lambda: f"{job} fence {fence} is run twice"
        )
        row = self.live.get(job)
        _demand(
            row is not None and row.state == "running" and row.fence == fence,
            "I2",
            lambda: f"{process} begins {job} under fence {fence}, but it stands as {row}",
            unless=self.clock_was_set or self.somebody_deletes_nodes,
        )
        if row is None or row.worker is None or row.fence != fence:
            self.executions[job, fence] = Execution(process, self.now())
            return
        worker = self.workers.get(row.worker)
        _demand(
            worker is not None and self.nodes.get(worker.node, 0) > self.now_us(),
            "I2",
            lambda: f"{process} begins {job} after its lease has run out",
            unless=self.clock_was_set or self.somebody_deletes_nodes,
        )
        self._runs_once(job, process)
        _demand(
            self.spec(job).threads == threads or threads == 1,
            "I15",
            lambda: f"{job} is granted {threads} threads",
        )
        running = [
            one for one in self.executions.values() if one.process == process and not one.end
        ]
        taken = sum(one.threads for one in running) + (threads if row.threads else 0)
        _demand(
            taken <= capacity, "I15", lambda: f"{process} runs {taken} threads and has {capacity}"
        )
        if row.lane == "alone":
            _demand(not running, "I6", lambda: f"suspect {job} runs in company of {running}")
        self.executions[job, fence] = Execution(
            process, self.now(), threads=threads if row.threads else 0
        )

    def _runs_once(self, job: str, process: str) -> None:
        """Whoever could have stopped in time has stopped before another begins."""
        others = [
            one.process
            for (other, _), one in self.executions.items()
            if other == job and not (one.end or one.deaf) and self.acts(one.process)
        ]
        _demand(
            not others,
            "I2",
            lambda: f"{process} begins {job}, which {others} have not ended",
            unless=self.clock_was_set or self.somebody_deletes_nodes,
        )

    def ends(self, job: str, fence: int, end: str) -> None:
        """An execution has ended in this way."""
        execution = self.executions[job, fence]
        # One that is about to commit its effects may be told to stop, and they are committed yet.
        if execution.end != "commit":
            execution.end, execution.ended = end, self.now()

    def dies(self, process: str) -> None:
        """A process is gone, with all that it ran."""
        for one in self.executions.values():
            if one.process == process and one.end is None:
                one.end = "died"

    def leaves(self, process: str, *, well: bool) -> None:
        """A process has ended in order."""
        left = [
            row.id for row in self.live.values() if row.worker and self._home(row.worker) == process
        ]
        _demand(
            not left,
            "I12",
            lambda: f"{process} ended in order and left {left} behind",
            unless=not well,
        )
        node = [one for one in self.nodes if process_of(one) == process]
        _demand(
            not node,
            "I12",
            lambda: f"{process} ended in order and is still a node",
            unless=not well,
        )

    def acks(self, job: str, key: str | None) -> None:
        """A caller was told that its job is kept."""
        known = job in self.live or job in self.history or job in self.deleted
        _demand(known, "I1", lambda: f"{job} was acknowledged and is not there")
        if key is not None:
            first = self.acknowledged.get(key, job)
            # One that somebody deleted took its key along.
            one = first == job or first in self.deleted or job in self.deleted
            _demand(one, "I5", lambda: f"key {key} has two jobs: {first} and {job}")
            self.acknowledged[key] = job if first in self.deleted else first
        self.acknowledged.setdefault(job, job)

    # --- what was committed -----------------------------------------------------------------------

    def heard(self, commit: Commit) -> None:
        """Take in a transaction, row by row, and see that everything still holds."""
        self.commit = commit
        self.said = Said()
        self.left_standby = None
        self.touched.clear()
        for row in commit.rows:
            if row[0] == SAID:
                self._hear(row[1], row[2])
            else:
                _CHANGES[row[0]](self, row[1], *row[2:])
        for job in self.touched:
            self._kept_once(job)

    def _hear(self, name: str, presented: Any) -> None:
        fences, worker = presented or (None, None)
        reclaims = name == "orphans" or (self.said.reclaims and name in SETTLES)
        self.said = Said(name, fences, worker, reclaims)

    def _kept_once(self, job: str) -> None:
        in_line = job in self.live and self.live[job].lane is not None
        places = in_line + (job in self.apart) + (job in self.history)
        expected = 0 if job in self.deleted else 1
        _demand(places == expected, "I1", lambda: f"{job} is kept {places} times after {self._by}")
        key = self.spec(job).key
        if key is not None and job in self.live:
            _demand(
                key in self.keys and self.keys[key][0] == job,
                "I5",
                lambda: f"{job} is live, but its key {key} belongs to {self.keys.get(key)}",
            )

    @property
    def _by(self) -> str:
        return f"{self.said.name} of {self.commit.process}"

    # --- live jobs --------------------------------------------------------------------------------

    def _jobs(self, change: str, *values: Any) -> None:
        row = Live(*values)
        self.touched[row.id] = None
        if change == "delete":
            del self.live[row.id]
            return
        if change == "insert" and row.id in self.apart:
            self._lines_up(self.live[row.id], row)
        elif change == "insert":
            self._arrives(row)
        else:
            self._moves(self.live[row.id], row)
        self.live[row.id] = row

    def _newcomer(self, change: str, job: str, created_at: int, threads: int) -> None:
        """It came alone, or is let go from among those who did."""
        self.touched[job] = None
        if change == "delete":
            self.apart.discard(job)
            return
        row = Live(job, "pending", None, 0, None, 0, 0, 0, created_at, None, threads)
        self._arrives(row)
        self.live[job] = row
        self.apart.add(job)

    def _lines_up(self, old: Live, new: Live) -> None:
        lane = "threads" if old.threads else "open"
        same = old._replace(lane=lane) == new
        _demand(same, "I10", lambda: f"{self._by} puts {old} in line as {new}")
        self.sometimes("put in line")

    def _arrives(self, row: Live) -> None:
        if self.said.name == "retry":
            before = self.history[row.id]
            self.sometimes("retried by hand")
            _demand(
                before.state != "completed", "I7", lambda: f"{row.id} was completed, and is retried"
            )
            _demand(
                row.fence == before.fence + 1,
                "I3",
                lambda: f"{row.id} is retried under an old fence",
            )
            same = (row.attempts, row.failures, row.crashes) == (before.attempts, 0, 0)
            _demand(same, "I6", lambda: f"{row.id} is retried with other counts")
            return
        _demand(
            self.said.name in ENQUEUES, "I10", lambda: f"{row.id} comes from nowhere, by {self._by}"
        )
        _demand(row.id not in self.live, "I1", lambda: f"{row.id} is enqueued twice")
        # Somebody deleted it before its caller had heard of it; nothing is left to know it by.
        if row.id in self.deleted:
            self._forget(row.id)
        fresh = (row.attempts, row.failures, row.crashes) == (0, 0, 0)
        _demand(fresh, "I6", lambda: f"{row.id} begins with {row}")
        if row.state == "running":
            self._is_handed(row)
            return
        begun = row.fence > 0
        _demand(
            begun == (self.said.name == "enqueue_again"),
            "I2",
            lambda: f"{row.id} begins with fences that it may have had",
        )

    def _is_handed(self, row: Live) -> None:
        """It comes as the first claim of a worker that stood by until now."""
        _demand(self.said.name == HANDS, "I2", lambda: f"{row.id} is handed out by {self._by}")
        left = self.left_standby
        _demand(
            row.worker == left, "I2", lambda: f"{row.id} is {row.worker}'s, but {left} stood by"
        )
        self._is_granted(row._replace(state="pending", fence=0, worker=None), row)
        self.sometimes("handed over as it came")

    def _standby(self, change: str, worker: str, _number: int) -> None:
        if change == "delete":
            self.left_standby = worker
            return
        own = self.homes.get(worker) == self.commit.process
        _demand(own, "I2", lambda: f"{self._by} stands by for another")

    def _forget(self, job: str) -> None:
        # Not its executions: a fence that comes again is one that was run twice.
        self.deleted.discard(job)
        self.effects.pop(job, None)
        self.attempts = {one: end for one, end in self.attempts.items() if one[0] != job}

    def _moves(self, old: Live, new: Live) -> None:
        change = (old.state, new.state)
        if change == ("pending", "running"):
            self._is_claimed(old, new)
        elif old.state == "running" and new.state in WAITING:
            self._is_returned(old, new)
        elif change == ("running", "running"):
            same = old._replace(asked=new.asked) == new
            first = old.asked in (None, new.asked)
            _demand(same and first, "I2", lambda: f"{old.id} changes hands: {old}, {new}")
            self.sometimes("asked to cancel while running")
        elif change == ("scheduled", "pending"):
            due = old.run_at <= self.commit.now_us
            _demand(due, "I18", lambda: f"{old.id} is promoted before its time")
            _demand(old._replace(state="pending") == new, "I10", lambda: f"promoted: {old}, {new}")
        else:
            ranked = old.state == new.state and old._replace(lane=new.lane) == new
            _demand(ranked, "I10", lambda: f"{self._by} turns {old} into {new}")
            self.sometimes("parked" if new.lane == "parked" else "unparked")

    def _is_claimed(self, old: Live, new: Live) -> None:
        _demand(self.said.name in CLAIMS, "I2", lambda: f"{old.id} is taken by {self._by}")
        assert new.worker is not None
        own = self.homes.get(new.worker) == self.commit.process
        _demand(own, "I2", lambda: f"{self._by} claims for another")
        self._is_granted(old, new)

    def _is_granted(self, old: Live, new: Live) -> None:
        now = self.commit.now_us
        assert new.worker is not None
        # One that has ended may have a claim on its way; what that is granted is reclaimed at once.
        node = self.posts.get(new.worker, "")
        good = self.nodes.get(node, 0) > now
        _demand(good, "I2", lambda: f"{new.worker} claims {old.id} without a lease")
        _demand(
            new.fence == old.fence + 1, "I3", lambda: f"{old.id} is claimed and its fence stays"
        )
        early = old.run_at > now and not self.clock_was_set
        _demand(not early, "I18", lambda: f"{old.id} is claimed before its time")
        _demand(old.lane != "parked", "I10", lambda: f"{old.id} is claimed though parked")
        _demand(
            self.spec(old.id).queue not in self.paused,
            "I10",
            lambda: f"{old.id} is claimed from a paused queue",
        )
        counts = (old.attempts, old.failures, old.crashes)
        same = counts == (new.attempts, new.failures, new.crashes)
        _demand(same, "I6", lambda: f"a claim changes counts: {new}")
        if old.lane == "alone":
            self.sometimes("a suspect runs alone")

    # --- ends of attempts -------------------------------------------------------------------------

    def _is_good(self, old: Live) -> None:
        """Whoever ends an attempt has presented its fence and its worker."""
        said = self.said
        presented = (said.fences or {}).get(old.id)
        _demand(
            presented == old.fence and said.worker == old.worker,
            "I3",
            lambda: (
                f"{self._by} ends {old.id} with fence {presented} of {said.worker},"
                f" which runs under fence {old.fence} of {old.worker}"
            ),
        )
        if said.reclaims:
            self._is_orphan(old)
        else:
            assert old.worker is not None
            own = self.homes.get(old.worker) == self.commit.process
            _demand(own, "I3", lambda: f"{self._by} ends an attempt of {old.worker}")

    def _is_orphan(self, old: Live) -> None:
        assert old.worker is not None
        worker = self.workers.get(old.worker)
        if worker is None or worker.ended:
            return
        # Its node holds the lease; the worker's own process may be another, and may be stuck.
        node = process_of(worker.node)
        well = self.well_for(node)
        if well is None:
            self.sometimes("reclaimed from the dead")
            return
        self.sometimes("reclaimed from the living")
        over = self.nodes.get(worker.node, 0) <= self.commit.now_us
        _demand(over, "I11", lambda: f"{old.id} is taken from {node}, whose lease still holds")
        _demand(
            well <= self.ttl,
            "I11",
            lambda: f"{old.id} is taken from {node}, which was well for {well} s",
            unless=self.now() - self.clock_set_at < JUST_NOW,
        )

    def _is_by_will(self, old: Live, new: Live | Finished) -> bool:
        """Whether the dead had ended it so; who did not find that may still take it for lost."""
        end = self.willed(old.worker, old.id, old.fence)
        if end is None:
            return False
        came = (new.fence, new.attempts, new.failures, new.crashes)
        meant = (end.fence_after, end.attempts, end.failures, end.crashes)
        alike = (
            (new.state == end.state)
            if isinstance(new, Finished)
            else (new.lane == end.lane and end.state not in FINISHED)
        )
        if not alike or came != meant:
            self.sometimes("reclaimed without a will")
            return False
        self.sometimes("ended by a will" if isinstance(new, Finished) else "goes on by a will")
        return True

    def _home(self, worker: str) -> str:
        """The process that answers for a worker: its own, or the one that supervises that."""
        return self.homes.get(worker, "").partition("/")[0]

    def _execution(self, row: Live) -> Execution | None:
        return self.executions.get((row.id, row.fence))

    def _is_returned(self, old: Live, new: Live) -> None:
        _demand(
            self.said.name == "settle_return", "I3", lambda: f"{old.id} goes back by {self._by}"
        )
        self._is_good(old)
        _demand(
            old.asked is None, "I17", lambda: f"{old.id} was asked to cancel and goes on living"
        )
        _demand(new.worker is None, "I2", lambda: f"{old.id} waits and has a worker")
        _demand(new.run_at >= self.commit.now_us, "I18", lambda: f"{old.id} is to run in the past")
        if self.said.reclaims and not self._is_by_will(old, new):
            self._has_crashed(old, new)
            return
        ran = self._execution(old)
        if new.failures > old.failures:
            self._has_failed(old, new, ran)
            return
        counts = (old.attempts, old.failures, old.crashes)
        _demand(
            counts == (new.attempts, new.failures, new.crashes),
            "I6",
            lambda: f"{old.id} is given up or snoozes, and is charged for it: {new}",
        )
        _demand(
            ran is None or ran.end != "done", "I10", lambda: f"{old.id} was done, and goes back"
        )
        _demand(ran is None or ran.end != "fail", "I10", lambda: f"{old.id} failed uncharged")
        if new.state == "pending":
            _demand(
                new.fence == old.fence + 1, "I3", lambda: f"{old.id} is handed back with its fence"
            )
            _demand(new.lane == old.lane, "I6", lambda: f"{old.id} is handed back to {new.lane}")
            self.sometimes("handed back after it began" if ran else "handed back unbegun")
        else:
            self.sometimes("snoozed")

    def _may_fail(self, row: Live, ran: Execution | None) -> bool:
        """Whether the execution failed, or was stopped because it took too long."""
        if ran is None:
            return False
        late = self.spec(row.id).timeout is not None and ran.end in ("stopped", "commit")
        return late or ran.end in ("fail", "later")

    def _has_failed(self, old: Live, new: Live, ran: Execution | None) -> None:
        spec = self.spec(old.id)
        _demand(
            self._may_fail(old, ran),
            "I10",
            lambda: f"{old.id} is charged with a failure that it had not: {ran}",
        )
        assert ran is not None
        self._counts(old, new.attempts, new.failures, new.crashes, failed=True)
        _demand(
            new.failures < spec.max_attempts, "I6", lambda: f"{old.id} is tried too often: {new}"
        )
        delay = (new.run_at - self.commit.now_us) / 1e6
        plain = min(BACKOFF_CAP, BACKOFF_BASE * 2 ** (new.failures - 1))
        # It waits from its end on, which is told later.
        told = self.now() - ran.ended
        least = max(plain, LATER if ran.end == "later" else 0.0) - told
        most = max(plain * JITTER, LATER if ran.end == "later" else 0.0)
        fits = least - 1e-5 <= delay <= most + 1e-5
        _demand(fits, "I8", lambda: f"{old.id} waits {delay} s after failure {new.failures}")
        self.sometimes("failed, to be retried")

    def _has_crashed(self, old: Live, new: Live) -> None:
        assert old.worker is not None
        worker = self.workers.get(old.worker)
        alone = old.lane == "alone" or (worker is not None and worker.alone)
        _demand(new.fence == old.fence + 1, "I3", lambda: f"{old.id} is reclaimed with its fence")
        accused = alone or not self._is_lost_first(old, worker)
        lane = "alone" if accused else old.lane
        _demand(
            new.lane == lane, "I6", lambda: f"{old.id} is reclaimed to {new.lane} instead of {lane}"
        )
        charged = old.crashes + (1 if alone else 0)
        self._counts(old, new.attempts, new.failures, new.crashes, crashes=charged)
        limit = self.spec(old.id).max_crashes
        _demand(
            new.crashes < limit,
            "I6",
            lambda: f"{old.id} crashed {new.crashes} times and runs again",
        )
        if alone:
            delay = (new.run_at - self.commit.now_us) / 1e6
            plain = CRASH_BASE * 2 ** (new.crashes - 1)
            fits = plain - 1e-5 <= delay <= plain * JITTER + 1e-5
            _demand(fits, "I8", lambda: f"{old.id} waits {delay} s after crash {new.crashes}")
        if accused:
            self.sometimes("crashed alone" if alone else "became a suspect")
        else:
            self.sometimes("a lost node accused nobody")

    def _is_lost_first(self, old: Live, worker: Worker | None) -> bool:
        """Whether a supervisor died along with the worker, and no process under the job before."""
        if worker is None or worker.ended or worker.node not in self.nodes:
            return False
        supervised = self.homes[str(old.worker)] != process_of(worker.node)
        before = [
            end
            for (job, fence), end in self.attempts.items()
            if job == old.id and fence != old.fence
        ]
        return supervised and "crashed" not in before

    def _counts(
        self,
        old: Live,
        attempts: int,
        failures: int,
        now_crashes: int,
        *,
        failed: bool = False,
        done: bool = False,
        crashes: int | None = None,
    ) -> None:
        expected = (
            old.attempts + (failed or done),
            old.failures + failed,
            old.crashes if crashes is None else crashes,
        )
        _demand(
            (attempts, failures, now_crashes) == expected,
            "I6",
            lambda: f"{old.id} counts {(attempts, failures, now_crashes)} instead of {expected}",
        )

    # --- finished jobs ----------------------------------------------------------------------------

    def _finished(self, change: str, *values: Any) -> None:
        row = Finished(*values)
        self.touched[row.id] = None
        if change == "delete":
            self._is_unfinished(row)
            return
        _demand(change == "insert", "I7", lambda: f"{row.id} changes after its end, by {self._by}")
        _demand(row.id not in self.history, "I7", lambda: f"{row.id} ends twice, by {self._by}")
        self._ends(self.live[row.id], row)
        self.history[row.id] = row

    def _is_unfinished(self, row: Finished) -> None:
        _demand(
            self.said.name in ("retry", "delete"),
            "I7",
            lambda: f"{row.id} is no more by {self._by}",
        )
        del self.history[row.id]
        if self.said.name == "delete":
            self.deleted.add(row.id)

    def _ends(self, old: Live, row: Finished) -> None:
        if self.said.name == "cancel":
            _demand(old.state in WAITING, "I17", lambda: f"{old.id} is cancelled under its worker")
            _demand(
                row.state == "cancelled", "I17", lambda: f"{old.id} is cancelled into {row.state}"
            )
            self._counts(old, row.attempts, row.failures, row.crashes)
            self.sometimes("cancelled while waiting")
            return
        _demand(self.said.name in SETTLES, "I3", lambda: f"{old.id} is ended by {self._by}")
        _demand(old.state == "running", "I7", lambda: f"{old.id} is ended while {old.state}")
        self._is_good(old)
        if self.said.reclaims and not self._is_by_will(old, row):
            self._ends_by_reclaim(old, row)
        elif row.state == "completed":
            self._completes(old, row)
        elif row.state == "failed":
            self._fails(old, row)
        else:
            self._is_cancelled(old)

    def _ends_by_reclaim(self, old: Live, row: Finished) -> None:
        _demand(row.fence == old.fence + 1, "I3", lambda: f"{old.id} is reclaimed with its fence")
        if row.state == "cancelled":
            _demand(
                old.asked is not None, "I17", lambda: f"{old.id} is cancelled, and nobody asked"
            )
            self._counts(old, row.attempts, row.failures, row.crashes)
            self.sometimes("cancelled by reclaim")
            return
        spec = self.spec(old.id)
        _demand(
            (row.state, row.reason) == ("failed", "crash") and row.crashes == spec.max_crashes,
            "I10",
            lambda: f"{old.id} is a dead letter without its reason: {row}",
        )
        self._counts(old, row.attempts, row.failures, row.crashes, crashes=old.crashes + 1)
        self.sometimes("poison is a dead letter")

    def _completes(self, old: Live, row: Finished) -> None:
        ran = self._execution(old)
        _demand(
            ran is not None and ran.end in ("done", "deaf", "commit"),
            "I10",
            lambda: f"{old.id} is completed, but its execution is {ran}",
        )
        _demand(row.fence == old.fence, "I3", lambda: f"{old.id} completes with another fence")
        _demand(
            row.result == str(row.fence), "I3", lambda: f"{old.id} has the result of {row.result}"
        )
        self._counts(old, row.attempts, row.failures, row.crashes, done=True)
        assert ran is not None
        effects = 1 if ran.end == "commit" else 0
        _demand(
            self.effects.get(old.id, 0) == effects,
            "I4",
            lambda: f"{old.id} is completed with {self.effects.get(old.id, 0)} effects",
        )
        self.sometimes("completed though asked to cancel" if old.asked else "completed")
        if effects:
            self.sometimes("effects committed with the attempt")

    def _fails(self, old: Live, row: Finished) -> None:
        ran = self._execution(old)
        spec = self.spec(old.id)
        _demand(
            self._may_fail(old, ran) or (ran is not None and ran.end == "final"),
            "I10",
            lambda: f"{old.id} is a dead letter, but its execution is {ran}",
        )
        assert ran is not None
        self._counts(old, row.attempts, row.failures, row.crashes, failed=True)
        true = ran.end == "final" if row.reason == "final" else row.failures == spec.max_attempts
        _demand(true, "I10", lambda: f"{old.id} is a dead letter for {row.reason}: {row}, {ran}")
        self.sometimes(f"a dead letter for {row.reason}")

    def _is_cancelled(self, old: Live) -> None:
        ran = self._execution(old)
        own = ran is not None and ran.end == "give up"
        _demand(
            old.asked is not None or own,
            "I17",
            lambda: f"{old.id} is cancelled, and nobody asked: {ran}",
        )
        _demand(
            ran is None or ran.end != "done", "I17", lambda: f"{old.id} was done, and is cancelled"
        )
        self.sometimes("gave up by itself" if own else "cancelled while running")

    # --- what is kept with a job ------------------------------------------------------------------

    def _attempt(self, _: str, job: str, fence: int, reason: str, *_rest: object) -> None:
        _demand(
            (job, fence) not in self.attempts,
            "I10",
            lambda: f"{job} has two ends of attempt {fence}",
        )
        _demand(
            self.said.name in SETTLES, "I10", lambda: f"an attempt of {job} is kept by {self._by}"
        )
        self.attempts[job, fence] = reason

    def _note(self, _: str, job: str, fence: int) -> None:
        row = self.live.get(job)
        _demand(
            row is not None and row.state == "running" and row.fence == fence,
            "I3",
            lambda: f"a note of {job} under fence {fence} is kept, which stands as {row}",
        )

    def _file(self, _: str, job: str, __: str) -> None:
        row = self.live.get(job)
        _demand(
            row is not None and row.state == "running",
            "I3",
            lambda: f"a file of {job} is kept: {row}",
        )

    def _effect(self, _: str, job: str, fence: int) -> None:
        self.effects[job] = self.effects.get(job, 0) + 1
        _demand(
            self.effects[job] == 1, "I4", lambda: f"{job} has its effects {self.effects[job]} times"
        )
        self.touched[job] = None
        row = self.live.get(job)
        good = row is not None and row.state == "running" and row.fence == fence
        _demand(good, "I4", lambda: f"{job} has effects of fence {fence} and stands as {row}")

    def _key(self, change: str, key: str, job: str, expires: int) -> None:
        if change == "delete":
            del self.keys[key]
            return
        held = self.keys.get(key)
        if held is not None:
            free = held[1] <= self.commit.now_us and held[0] not in self.live
            _demand(free, "I5", lambda: f"key {key} of {held[0]} is given to {job}")
        self.keys[key] = (job, expires)
        self.touched[job] = None

    # --- the fleet --------------------------------------------------------------------------------

    def _node(self, change: str, node: str, until: int) -> None:
        if change == "delete":
            del self.nodes[node]
            return
        own = process_of(node) == self.commit.process
        _demand(own, "I2b", lambda: f"{self._by} extends the lease of {node}")
        _demand(until > self.commit.now_us, "I2b", lambda: f"{node} is given a lease that is over")
        self.nodes[node] = until

    def _worker(
        self, change: str, worker: str, node: str, threads: int, alone: int, ended: int | None
    ) -> None:
        if change == "delete":
            del self.workers[worker]
            return
        self.posts[worker] = node
        home = self.homes.setdefault(worker, self.commit.process)
        if change == "update" and ended is not None:
            _demand(self.well_for(home) is None, "I11", lambda: f"{worker} is dismissed and alive")
        self.workers[worker] = Worker(node, threads, bool(alone), ended is not None)

    def _queue(self, change: str, queue: str) -> None:
        if change == "insert":
            self.paused.add(queue)
        else:
            self.paused.discard(queue)

    def _lock(self, change: str, name: str, token: int, until: int) -> None:
        if change == "delete":
            del self.locks[name]
            return
        before = self.locks.get(name)
        if before is not None and token != before[0]:
            free = before[1] <= self.commit.now_us
            _demand(free, "I2", lambda: f"lock {name} is taken before it is free")
            _demand(token > before[0], "I3", lambda: f"lock {name} goes back to token {token}")
        self.locks[name] = (token, until)


_CHANGES: dict[str, Callable[..., None]] = {
    "windlass_jobs": Model._jobs,
    "windlass_newcomers": Model._newcomer,
    "windlass_history": Model._finished,
    "windlass_attempts": Model._attempt,
    "windlass_lines": Model._note,
    "windlass_progress": Model._note,
    "windlass_files": Model._file,
    "windlass_keys": Model._key,
    "windlass_nodes": Model._node,
    "windlass_workers": Model._worker,
    "windlass_standby": Model._standby,
    "windlass_queues": Model._queue,
    "windlass_locks": Model._lock,
    "simulated_effects": Model._effect,
}


def _demand(
    good: object, invariant: str, otherwise: Callable[[], str], *, unless: bool = False
) -> None:
    """Insist on something; words for its opposite are sought only when they are needed."""
    if not good and not unless:
        raise Violation(f"{invariant}: {otherwise()}")
