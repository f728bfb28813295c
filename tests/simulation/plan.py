"""What a seed means: a fleet, its work, and what befalls it, all drawn before anything happens.

Every actor draws from a stream of its own, so that taking one job or one fault away changes
nothing else: that is how a failing world is made small.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from typing import NamedTuple

# Longer than any drain, lease or backoff of a plan needs, for a fleet that nothing befalls.
CALM = 150.0
QUEUES = ("mail", "reports")
BACKOFF_BASE, BACKOFF_CAP = 0.2, 3.0


class Kind(StrEnum):
    """How one execution of a job goes."""

    DONE = "done"
    FAIL = "fail"
    FINAL = "final"
    SNOOZE = "snooze"
    LATER = "later"  # fails, and asks to be tried again not too soon
    GIVE_UP = "give up"  # says itself that it is cancelled
    DIE = "die"  # takes its process along
    DEAF = "deaf"  # does not stop when told to
    COMMIT = "commit"  # effects in the store's own database, with the end of the attempt
    TORN = "torn"  # raises inside of such a block


class Act(NamedTuple):
    """One execution: what happens after how many seconds."""

    kind: Kind
    takes: float


class Harm(StrEnum):
    """What befalls a fleet."""

    KILL = "kill"
    KILL_CALLER = "kill caller"
    STOP = "stop"  # in order, as by SIGTERM
    HASTE = "haste"  # in order, but at once, as by a second one
    FREEZE = "freeze"
    HOG = "hog"  # a handler keeps the event loop to itself
    CUT = "cut"  # one process cannot reach the database
    OUTAGE = "outage"
    SLOW = "slow"
    FORGET = "forget"  # somebody deletes a node's row
    SET_CLOCK = "set clock"


class Deed(StrEnum):
    """What people do to jobs and queues."""

    CANCEL = "cancel"
    RETRY = "retry"
    PAUSE = "pause"
    RESUME = "resume"
    DELETE = "delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPlan:
    """One job, and how its executions go; after the last of them it is done."""

    number: int
    at: float
    queue: str
    delay: float | None
    priority: int
    threads: int
    max_attempts: int
    max_crashes: int
    timeout: float | None
    key: str | None
    acts: tuple[Act, ...]


class Fault(NamedTuple):
    """Something that befalls one process, or all."""

    at: float
    harm: Harm
    target: int
    lasts: float


class DeedPlan(NamedTuple):
    """Something that a person does."""

    at: float
    deed: Deed
    target: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePlan:
    """One node: whether its worker is in the same process, and what that may take on."""

    processes: int  # 0: the worker is inside of another program
    slots: int
    threads: int
    claim_batch: int
    max_held: int
    queues: tuple[str, ...] | None
    skew: float
    offset: float
    shared: bool  # one line to the database, on which commands share transactions
    restarts: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Knobs:
    """What differs from world to world."""

    safety: float
    ttl: float
    every: float
    poll: float
    drain: float
    patience: float
    latency: float
    locks: bool
    wills: bool
    fails: float  # the share of requests that …
    busy: float
    unanswered: float  # are carried out, and the answer is lost
    unsent: float  # are lost, and nobody knows
    late: float  # are carried out after the caller has given up
    lost_rings: float
    double_rings: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that is decided before a world begins."""

    seed: int
    knobs: Knobs
    nodes: tuple[NodePlan, ...]
    jobs: tuple[JobPlan, ...]
    faults: tuple[Fault, ...]
    deeds: tuple[DeedPlan, ...]

    def without_faults(self, *which: Fault) -> Plan:
        """The same with less harm."""
        return replace(self, faults=tuple(one for one in self.faults if one not in which))

    def without_jobs(self, *which: JobPlan) -> Plan:
        """The same with less work."""
        return replace(self, jobs=tuple(one for one in self.jobs if one not in which))

    def without_deeds(self, *which: DeedPlan) -> Plan:
        """The same with fewer people about."""
        return replace(self, deeds=tuple(one for one in self.deeds if one not in which))


def draw(seed: int) -> Plan:
    """The plan of a seed."""
    knobs = _knobs(Random(f"{seed}/knobs"), Random(f"{seed}/wills"))
    fleet = Random(f"{seed}/fleet")
    nodes = tuple(_node(fleet) for _ in range(fleet.choice((2, 2, 3))))
    count = Random(f"{seed}/jobs").randint(4, 14)
    jobs = tuple(_job(Random(f"{seed}/job/{number}"), number, knobs) for number in range(count))
    return Plan(
        seed=seed,
        knobs=knobs,
        nodes=nodes,
        jobs=jobs,
        faults=_faults(Random(f"{seed}/faults"), knobs, len(nodes), jobs),
        deeds=_deeds(Random(f"{seed}/deeds"), knobs, jobs),
    )


def _knobs(chance: Random, wills: Random) -> Knobs:
    ttl = chance.choice((1.0, 1.5, 2.0, 3.0))

    def rate(*some: float) -> float:
        """Often nothing: a world in which everything happens hides what one thing does."""
        return chance.choice((0.0, 0.0, *some))

    return Knobs(
        safety=chance.uniform(5.0, 12.0),
        ttl=ttl,
        every=ttl / chance.choice((5.0, 5.0, 3.5)),
        poll=chance.choice((0.4, 1.0)),
        drain=chance.choice((0.0, 0.5, 5.0, 5.0)),
        patience=chance.choice((0.2, 1.0)),
        latency=chance.choice((0.002, 0.01, 0.04)),
        locks=chance.random() < 0.3,
        wills=wills.random() < 0.6,
        fails=rate(0.02, 0.1),
        busy=rate(0.02),
        unanswered=rate(0.02, 0.1),
        unsent=rate(0.02),
        late=rate(0.05, 0.15),
        lost_rings=rate(0.5, 1.0),
        double_rings=rate(0.5),
    )


def _node(chance: Random) -> NodePlan:
    return NodePlan(
        processes=chance.choice((0, 0, 1, 2)),
        slots=chance.choice((1, 2, 4, 20)),
        threads=chance.choice((1, 2, 4)),
        claim_batch=chance.choice((1, 3, 500)),
        max_held=chance.choice((0, 2, 2000)),
        queues=chance.choice((None, None, None, QUEUES)),
        skew=chance.choice((0.0, 30.0, -30.0, 86_400.0, -86_400.0)),
        offset=chance.uniform(0.0, 1e5),
        shared=chance.random() < 0.5,
        restarts=chance.uniform(0.05, 2.0),
    )


ACTS = (
    *[Kind.DONE] * 8,
    *[Kind.FAIL] * 3,
    *[Kind.COMMIT] * 3,
    Kind.SNOOZE,
    Kind.LATER,
    Kind.FINAL,
    Kind.GIVE_UP,
    Kind.DEAF,
    Kind.TORN,
)


def _job(chance: Random, number: int, knobs: Knobs) -> JobPlan:
    acts = [_act(chance) for _ in range(chance.choice((1, 1, 2, 4)))]
    deadly = chance.random() < 0.06
    if deadly:
        acts = [Act(Kind.DIE, chance.uniform(0.0, 0.5))] * chance.choice((1, 20))
    return JobPlan(
        number=number,
        at=chance.uniform(0.0, knobs.safety * 0.6),
        queue=chance.choice(QUEUES),
        delay=chance.choice((None, None, None, 0.5, 3.0)),
        priority=chance.choice((0, 0, 0, 5, -5)),
        threads=chance.choice((0, 0, 0, 1, 2, 4)),
        max_attempts=chance.choice((1, 2, 3)),
        max_crashes=chance.choice((1, 2)),
        timeout=chance.choice((None, None, None, 0.4)),
        key=f"key-{number}" if chance.random() < 0.35 else None,
        acts=tuple(acts),
    )


def _act(chance: Random) -> Act:
    return Act(chance.choice(ACTS), chance.choice((0.0, 0.02, 0.3, 0.8, 2.0, 4.0)))


# What leaves the most behind comes up most.
HARMS = (
    *[Harm.FREEZE] * 4,
    *[Harm.KILL] * 3,
    *[Harm.STOP] * 4,
    *[Harm.HOG] * 2,
    *[Harm.CUT] * 6,
    *[Harm.OUTAGE] * 2,
    Harm.HASTE,
    Harm.KILL_CALLER,
    Harm.SLOW,
    Harm.FORGET,
    Harm.SET_CLOCK,
)


def _faults(
    chance: Random, knobs: Knobs, nodes: int, jobs: tuple[JobPlan, ...]
) -> tuple[Fault, ...]:
    # A few kinds in each world, so that each has worlds to itself.
    kinds = [chance.choice(HARMS) for _ in range(chance.choice((0, 1, 2, 4)))]
    count = chance.randint(2, 6) if kinds else 0
    return tuple(
        sorted(
            _fault(chance, chance.choice(kinds), knobs, nodes, chance.choice(jobs).at)
            for _ in range(count)
        )
    )


def _fault(chance: Random, harm: Harm, knobs: Knobs, nodes: int, near: float) -> Fault:
    lasts = knobs.ttl * chance.choice((0.5, 1.5, 2.5, 3.5))
    if harm is Harm.SET_CLOCK:
        lasts = chance.choice((-20.0, -3.0, 3.0, 20.0))
    # Where there is work there is harm to do.
    at = min(near + chance.uniform(0.1, 1.5), knobs.safety)
    return Fault(at, harm, chance.randrange(nodes), lasts)


def _deeds(chance: Random, knobs: Knobs, jobs: tuple[JobPlan, ...]) -> tuple[DeedPlan, ...]:
    kinds = [chance.choice(DEEDS) for _ in range(chance.choice((0, 1, 2)))]
    if Deed.PAUSE in kinds:
        kinds.append(Deed.RESUME)
    count = chance.randint(2, 8) if kinds else 0
    return tuple(sorted(_deed(chance, chance.choice(kinds), knobs, jobs) for _ in range(count)))


DEEDS = (*[Deed.CANCEL] * 4, *[Deed.RETRY] * 3, *[Deed.PAUSE] * 2, Deed.DELETE)


def _deed(chance: Random, deed: Deed, knobs: Knobs, jobs: tuple[JobPlan, ...]) -> DeedPlan:
    target = chance.randrange(len(jobs))
    # People are after what they have just enqueued.
    at = jobs[target].at + chance.uniform(0.0, 2.0 if deed is Deed.CANCEL else knobs.safety / 2)
    return DeedPlan(at, deed, target)
