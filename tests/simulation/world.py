"""One world: a fleet, its work and its harm, from a plan to a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.simulation.audit import Commit
from tests.simulation.bell import Tower
from tests.simulation.client import Client, job_id, number_of
from tests.simulation.database import Server, Storage
from tests.simulation.estate import Estate, Will
from tests.simulation.fleet import EmbeddedNode
from tests.simulation.kernel import Kernel
from tests.simulation.machine import DatabaseClock, MachineClock
from tests.simulation.model import Model, Violation
from tests.simulation.plan import (
    CALM,
    QUEUES,
    Act,
    Deed,
    DeedPlan,
    Fault,
    Harm,
    JobPlan,
    Kind,
    NodePlan,
    Plan,
)
from tests.simulation.process import Process
from tests.simulation.story import Story
from tests.simulation.supervised import KILLED, UNFIT, SupervisedNode, operating_system
from tests.simulation.weather import Weather
from windlass.bell.base import CHANGED
from windlass.core.errors import Busy, StoreAway
from windlass.core.job import NodeId, WorkerId
from windlass.executors.context import Context
from windlass.observe.events import (
    BellHeard,
    ChoreFailed,
    ClaimsLost,
    Event,
    LeaseLost,
    LeaseRenewed,
    NodeForgotten,
    NodeJoined,
    Occupancy,
    WorkerStarted,
)
from windlass.store.queries import Queries
from windlass.store.records import Enqueued
from windlass.store.script import Statement
from windlass.store.sqlite_commands import Command

PAUSES_END = 1.0
CALLER_RETURNS = 0.7
# The clock of a machine that was on for a day is not as fine as that of a world that just began.
ROUNDING = 1e-6
AFTER = Act(Kind.DONE, 0.05)


@dataclass(slots=True)
class World:
    """Everything that exists in one simulation."""

    plan: Plan
    storage: Storage
    queries: Queries | None = None  # other statements than those that are shipped
    kernel: Kernel = field(default_factory=Kernel)
    story: Story = field(default_factory=Story)
    sometimes: Counter[str] = field(default_factory=Counter)
    processes: dict[str, Process] = field(default_factory=dict)
    posts: dict[int, tuple[Process, Any]] = field(default_factory=dict)
    leaving: bool = False
    over: bool = False
    generation: int = 0
    runs: Counter[int] = field(default_factory=Counter)
    sent: Counter[int] = field(default_factory=Counter)
    answers: dict[int, Enqueued] = field(default_factory=dict)
    done_deeds: set[DeedPlan] = field(default_factory=set)
    server: Server = field(init=False)
    tower: Tower = field(init=False)
    estate: Estate = field(default_factory=Estate)
    model: Model = field(init=False)
    caller: Process = field(init=False)
    clock: DatabaseClock = field(init=False)
    jobs: dict[int, JobPlan] = field(init=False)
    weather: Weather = field(init=False)

    def __post_init__(self) -> None:
        self.jobs = {job.number: job for job in self.plan.jobs}
        self.clock = DatabaseClock(self.kernel)
        self.weather = Weather(self, self.plan)
        self.server = Server(self.storage, self, queries=self.queries)
        self.tower = Tower(self.kernel, self.weather)
        self.model = Model(
            spec=lambda job: self.jobs[number_of(job)],
            well_for=self.well_for,
            acts=lambda name: name in self.processes and self.processes[name].acts,
            ttl=self.plan.knobs.ttl,
            now=lambda: self.kernel.now,
            now_us=self.clock.now_us,
            sometimes=self.reached,
            willed=self.estate.end,
        )

    # --- its course -------------------------------------------------------------------------------

    def run(self) -> None:
        """Live through the plan; raises `Violation` as soon as something does not hold."""
        try:
            with operating_system():
                self._safety()
                self._liveness()
                self._farewell()
        finally:
            self.over = True
            for process in self.processes.values():
                for loop in process.loops:
                    loop.end()

    def _safety(self) -> None:
        for number in range(len(self.plan.nodes)):
            self._boot(number)
        self._hire_client()
        for fault in self.plan.faults:
            self.kernel.at(fault.at, self._befall, fault)
        self.kernel.run(self.plan.knobs.safety)

    def _liveness(self) -> None:
        """No more harm: everything must come to its end."""
        self.weather.calm = True
        self.story.tell(self.kernel.now, "the world", "comes to rest")
        for process in list(self.processes.values()):
            while process.frozen and not process.gone:
                process.thaw()
            if process.cut:
                process.cut = 0
                process.suffers()
        self.kernel.at(PAUSES_END, self._resume)
        self.kernel.run(self.kernel.now + CALM, self._settled)
        stuck = [str(row) for row in self.model.live.values()]
        missing = [job.number for job in self.plan.jobs if job.number not in self.answers]
        if stuck or missing:
            raise Violation(f"I9: never finished: {stuck}; never acknowledged: {missing}")

    def _resume(self) -> None:
        """Let no queue stay paused, once whoever meant to pause one has done so."""
        if any(deed.deed is Deed.PAUSE for deed in self.undone()):
            self.kernel.at(PAUSES_END, self._resume)
            return
        self.server.perform("somebody", [Command(_resume)])
        self.tower.ring([CHANGED])

    def _settled(self) -> bool:
        return (
            not self.model.live
            and len(self.answers) == len(self.plan.jobs)
            and len(self.done_deeds) == len(self.plan.deeds)
        )

    def _farewell(self) -> None:
        """Every node ends in order, and the books are closed."""
        self.leaving = True
        for process, _ in self.posts.values():
            self._stop(process, drain=True)
        self.kernel.run(self.kernel.now + CALM, self._deserted)
        if not self._deserted():
            raise Violation(f"I12: never ended: {[one for one, _ in self.posts.values()]}")
        self._close_the_books()

    def _deserted(self) -> bool:
        return all(process.gone for process, _ in self.posts.values())

    def _close_the_books(self) -> None:
        query = self.storage.connection.execute
        counted = dict(
            query(
                "select state, sum(jobs) from (select state, jobs from windlass_rollups"
                " where grain = 0 union all select state, jobs from windlass_totals)"
                " where state in ('completed', 'failed', 'cancelled') group by state"
            ).fetchall()
        )
        kept = Counter(row.state for row in self.model.history.values())
        if {state: n for state, n in counted.items() if n} != dict(kept):
            raise Violation(f"I10: rollups count {counted}, history has {dict(kept)}")
        for number, answer in self.answers.items():
            # In line again, if somebody's retry was carried out after everything had ended.
            places = (self.model.history, self.model.live, self.model.deleted)
            if not any(answer.id in place for place in places):
                raise Violation(f"I1: job {number} was acknowledged as {answer.id} and is lost")
        lost = [job for job, row in self.model.history.items() if row.state == "completed"]
        for job in lost:
            ran = self.model.executions[job, self.model.history[job].fence]
            wanted = 1 if ran.end == "commit" else 0
            if self.model.effects.get(job, 0) != wanted:
                raise Violation(f"I4: {job} has {self.model.effects.get(job, 0)} effects")
        for job in self.model.effects:
            row = self.model.history.get(job)
            if row is not None and row.state != "completed":
                raise Violation(f"I4: {job} is {row.state} and has effects")

    # --- processes --------------------------------------------------------------------------------

    def _boot(self, number: int) -> None:
        if self.leaving:
            return
        plan = self.plan.nodes[number]
        self.generation += 1
        clock = MachineClock(self.kernel, skew=plan.skew, offset=plan.offset)
        process = Process(self, f"n{number}.{self.generation}", clock, shared=plan.shared)
        self.starts(process)
        self.posts[number] = (process, None)
        process.loop.start(self._main(process, plan, number))

    def starts(self, process: Process) -> None:
        """A process is there."""
        self.processes[process.name] = process
        self.story.tell(self.kernel.now, process.name, "starts")

    async def _main(self, process: Process, plan: NodePlan, number: int) -> None:
        node: Any = (SupervisedNode if plan.processes else EmbeddedNode)(process, plan)
        self.posts[number] = (process, node)
        problem: BaseException | None = None
        try:
            await node.run()
        except BaseException as error:  # noqa: BLE001 — judged below
            problem = error
        if self.over:
            return
        self._ended(process, number, problem)

    def _ended(self, process: Process, number: int, problem: BaseException | None) -> None:
        self.story.tell(self.kernel.now, process.name, f"ends: {problem!r}")
        process.ended = True
        with self._judged():
            self._excuse(process, problem)
            if problem is None and process.stopping:
                well = process.last_hurt < process.stopping_at
                self.reached("ended in order" if well else "ended in order, in trouble")
                self.model.leaves(process.name, well=well)
        self.model.dies(process.name)
        self._boot_again(number)

    def _excuse(self, process: Process, problem: BaseException | None) -> None:
        """A process may end because of the store; whoever started it starts it again."""
        by_somebody = self.model.somebody_deletes_nodes and "FOREIGN KEY" in str(problem)
        if not by_somebody and not _excused(problem):
            raise Violation(f"I12: {process} fell over: {problem!r}") from problem

    @contextmanager
    def _judged(self) -> Iterator[None]:
        """What is found inside of a process ends the world, though a handler may catch it."""
        try:
            yield
        except Violation as violation:
            self.kernel.fatal = self.kernel.fatal or violation
            raise

    def _boot_again(self, number: int) -> None:
        if not self.leaving:
            self.kernel.at(self.plan.nodes[number].restarts, self._boot, number)

    def kill(self, process: Process, why: str) -> None:
        """End a process without a word."""
        if process.gone:
            return
        self.story.tell(self.kernel.now, process.name, f"is killed: {why}")
        self._dies(process, KILLED)
        for one in process.children:
            if not one.gone:
                self.kill(one, "its parent died")
        for number, (post, _) in self.posts.items():
            if post is process:
                self.kernel.at(self.plan.nodes[number].restarts, self._boot, number)

    def _dies(self, process: Process, code: int) -> None:
        process.kill()
        self.model.dies(process.name)
        if process.unborn is not None:
            process.unborn.close()
        for pipe in process.pipes:
            pipe.close()
        if process.offspring is not None:
            process.offspring.ended(code)

    def exits(self, process: Process, problem: BaseException | None) -> None:
        """A child has come to its end."""
        if self.over:
            return
        self.story.tell(self.kernel.now, process.name, f"exits: {problem!r}")
        self._dies(process, UNFIT if problem else 0)
        with self._judged():
            self._excuse(process, problem)

    def _hire_client(self) -> None:
        self.generation += 1
        process = self.caller = Process(
            self, f"client.{self.generation}", MachineClock(self.kernel)
        )
        self.starts(process)
        process.loop.start(Client(process).run())

    def well_for(self, name: str) -> float | None:
        """How long a process was well; nothing if it is gone."""
        process = self.processes.get(name)
        return None if process is None else process.well_for

    # --- harm -------------------------------------------------------------------------------------

    def _befall(self, fault: Fault) -> None:
        process, _ = self.posts[fault.target]
        if fault.harm in ANYBODYS:
            process = self._someone(process, fault)
        self.story.tell(self.kernel.now, process.name, f"suffers {fault}")
        if not process.gone or fault.harm in EVERYONES:
            HARMS[fault.harm](self, process, fault.lasts)

    def _someone(self, process: Process, fault: Fault) -> Process:
        """The process itself, or one of its children."""
        family = [process, *(one for one in process.children if not one.gone)]
        return family[round(fault.at * 1000) % len(family)]

    def _killed(self, process: Process, _lasts: float) -> None:
        self.kill(process, "by somebody")

    def _caller_killed(self, _process: Process, _lasts: float) -> None:
        if not self.caller.gone:  # else it is on its way back
            self.kill(self.caller, "by somebody")
            self.kernel.at(CALLER_RETURNS, self._hire_client)

    def _stopped(self, process: Process, _lasts: float) -> None:
        self._stop(process, drain=True)

    def _hastened(self, process: Process, _lasts: float) -> None:
        self._stop(process, drain=False)

    def _stop(self, process: Process, *, drain: bool) -> None:
        if not process.stopping:
            process.stopping = True
            process.stopping_at = self.kernel.now
            process.drain = self.plan.knobs.drain if drain else 0.0
        else:
            process.drain = 0.0  # a second signal skips it
        process.loop.post(lambda: self._told_to_stop(process, drain=drain))

    def _told_to_stop(self, process: Process, *, drain: bool) -> None:
        for post, node in self.posts.values():
            if post is process:
                node.stop(drain=drain)

    def _frozen(self, process: Process, lasts: float) -> None:
        process.freeze()
        self.kernel.at(lasts, self._thawed, process)

    def _thawed(self, process: Process) -> None:
        if process.frozen and not process.gone:
            process.thaw()

    def _hogged(self, process: Process, lasts: float) -> None:
        if process.parent is None and len(process.loops) == 1:
            return  # a supervisor runs no handlers
        process.hogged_until = max(process.hogged_until, self.kernel.now + lasts)
        process.loop.freeze()
        self.kernel.at(lasts, process.loop.thaw)

    def _cut_off(self, process: Process, lasts: float) -> None:
        for one in (process, *process.children):  # they are on one machine
            one.cut += 1
            self.kernel.at(lasts, self._joined, one)

    def _joined(self, process: Process) -> None:
        process.cut = max(process.cut - 1, 0)
        process.suffers()

    def _away(self, _process: Process, lasts: float) -> None:
        self.weather.outages += 1
        self.kernel.at(lasts, self._back)

    def _back(self) -> None:
        self.weather.outages -= 1

    def _slowed(self, _process: Process, lasts: float) -> None:
        self.weather.slow += 1
        self.kernel.at(lasts, self._quick)

    def _quick(self) -> None:
        self.weather.slow -= 1

    def _forgotten(self, process: Process, _lasts: float) -> None:
        self.model.somebody_deletes_nodes = True

        def forget(session: Any) -> None:
            like = f"{process.name}-%"
            session.connection.execute("delete from windlass_nodes where id like ?", (like,))

        self.server.perform("somebody", [Command(forget)])

    def _clock_set(self, _process: Process, lasts: float) -> None:
        self.model.clock_set_at = self.kernel.now
        self.clock.jump(lasts)

    # --- ports ------------------------------------------------------------------------------------

    def committed(self, commit: Commit) -> None:
        """Hear of a transaction."""
        self.story.committed(self.kernel.now, commit)
        self.model.heard(commit)

    def dead(self) -> list[NodeId]:
        """The nodes whose lock is free: their process is gone."""
        gone = (one for one in self.model.nodes if self.processes[one.rsplit("-", 2)[0]].gone)
        return [NodeId(node) for node in gone]

    def forget(self, node: NodeId) -> None:
        """Its lock goes with its row."""

    def will(self, worker: WorkerId, process: Process) -> Will | None:
        """Where a worker writes down what ended, on a machine that has room for that."""
        return self.estate.begin(worker, process) if self.plan.knobs.wills else None

    def observer(self, process: Process) -> Observer:
        """Who is told what happens in a process."""
        return Observer(self, process)

    def reached(self, what: str) -> None:
        """Count a case that a batch of worlds must reach."""
        self.sometimes[what] += 1

    # --- what handlers and clients tell -----------------------------------------------------------

    def begins(self, process: Process, ctx: Context) -> Act:
        """An execution begins; answers how it goes."""
        number = number_of(ctx.id)
        run = self.runs[number]
        self.runs[number] += 1
        acts = self.jobs[number].acts
        act = acts[run] if run < len(acts) else AFTER
        self.story.tell(self.kernel.now, process.name, f"begins {ctx.id} fence {ctx.fence}: {act}")
        with self._judged():
            self.model.begins(ctx.id, ctx.fence, process.name, ctx.threads, process.capacity)
            self.model.executions[ctx.id, ctx.fence].deaf = act.kind is Kind.DEAF
        return act

    def commits(self, ctx: Context) -> None:
        """An execution is about to commit its effects."""
        self.model.ends(ctx.id, ctx.fence, "commit")

    def ends(self, process: Process, ctx: Context, end: str) -> None:
        """An execution has ended."""
        if self.over:
            return
        self.story.tell(self.kernel.now, process.name, f"ends {ctx.id} fence {ctx.fence}: {end}")
        with self._judged():
            if end == "stopped" and not self._may_stop(process, ctx.id):
                raise Violation(f"I12: {process} stops {ctx.id} without need")
        self.model.ends(ctx.id, ctx.fence, end)

    def _may_stop(self, process: Process, job: str) -> bool:
        """Whether there is a reason to stop a handler: one of its own, a stop, or a lost lease."""
        row = self.model.live.get(job)
        if row is None or row.asked is not None or self.jobs[number_of(job)].timeout is not None:
            return True
        if self.model.clock_was_set or self.model.somebody_deletes_nodes:
            return True
        node = process.parent or process
        drained = node.stopping and self.kernel.now >= node.stopping_at + node.drain - ROUNDING
        # Who was told before a hog, or before it was frozen, hears of it after.
        heard = self.kernel.now - max(self.weather.storm_at, process.hogged_until, process.ill_at)
        well = min(node.well_for or 0.0, heard)
        return drained or well < 2 * self.plan.knobs.ttl

    def unacknowledged(self) -> list[JobPlan]:
        """The jobs that nobody was told about yet."""
        return [job for job in self.plan.jobs if job.number not in self.answers]

    def undone(self) -> list[DeedPlan]:
        """What people have not done yet."""
        return [deed for deed in self.plan.deeds if deed not in self.done_deeds]

    def sendings(self, job: JobPlan) -> int:
        """How often the job was sent before."""
        self.sent[job.number] += 1
        return self.sent[job.number] - 1

    def acknowledged(self, job: JobPlan, answer: Enqueued) -> None:
        """A caller has its answer."""
        self.story.tell(self.kernel.now, f"job-{job.number}", f"is acknowledged as {answer.id}")
        self.answers[job.number] = answer
        if answer.existing:
            self.reached("key led to the job that was there")
        with self._judged():
            self.model.acks(answer.id, job.key)

    def known_id(self, number: int) -> Any:
        """The id under which a job is known, if it is."""
        answer = self.answers.get(number)
        return job_id(number) if answer is None else answer.id

    def did(self, deed: DeedPlan) -> None:
        """Somebody has done something."""
        self.done_deeds.add(deed)


@dataclass(frozen=True, slots=True)
class Observer:
    """Counts what the shipped code tells, for stories and to know what was reached."""

    world: World
    process: Process

    def on(self, event: Event) -> None:
        """Take note."""
        if self.world.over or self.process.dead:
            return
        match event:
            case ClaimsLost():
                self.world.reached("a stale settlement was refused")
            case LeaseLost():
                self.world.reached("a lease was lost")
            case NodeForgotten():
                self.world.reached("a node was forgotten")
            case LeaseRenewed() | NodeJoined() | WorkerStarted() | Occupancy() | BellHeard():
                return  # the number of the process, or nothing that the commits do not say
            case ChoreFailed(away=False) if not _passing(event.error):
                problem = f"I12: {self.process}: {event.chore} failed: {event.error}"
                self.world.kernel.fatal = Violation(problem)
        self.world.story.noted(self.world.kernel.now, self.process.name, event)


def _resume(session: Any) -> None:
    for queue in QUEUES:
        session.answer(Statement("resume", {"queue": queue}))


def _passing(error: str) -> bool:
    return (
        error.startswith(("Busy", "StoreAway", "TimeoutError")) or "left to be reclaimed" in error
    )


def _excused(problem: BaseException | None) -> bool:
    """Whether a process may end so: its host program sees the error and starts it again."""
    if isinstance(problem, BaseExceptionGroup):
        return all(map(_excused, problem.exceptions))
    return problem is None or isinstance(problem, StoreAway | Busy)


ANYBODYS = (Harm.KILL, Harm.FREEZE, Harm.HOG)
EVERYONES = (Harm.KILL_CALLER, Harm.OUTAGE, Harm.SLOW, Harm.SET_CLOCK)
HARMS = {
    Harm.KILL: World._killed,
    Harm.KILL_CALLER: World._caller_killed,
    Harm.STOP: World._stopped,
    Harm.HASTE: World._hastened,
    Harm.FREEZE: World._frozen,
    Harm.HOG: World._hogged,
    Harm.CUT: World._cut_off,
    Harm.OUTAGE: World._away,
    Harm.SLOW: World._slowed,
    Harm.FORGET: World._forgotten,
    Harm.SET_CLOCK: World._clock_set,
}
