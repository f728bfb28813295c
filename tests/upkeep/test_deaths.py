"""Who is known to be dead is waited for no longer, and is remembered until nothing is left."""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from tests.embedded import LEASE, Fleet, OwnClock
from tests.recorder import Recorder
from windlass.bell.local import LocalBell
from windlass.clock import SystemChance
from windlass.core.job import Lane, NodeId, State, WorkerId
from windlass.core.settle import done
from windlass.loop import Loop
from windlass.store.sql_store import SqlStore
from windlass.store.wills import Ends
from windlass.upkeep.rota import Tools, rota


@dataclass
class Graveyard:
    """Deaths as a test has them happen."""

    graves: list[NodeId] = field(default_factory=list)

    def dead(self) -> list[NodeId]:
        """Whoever lies here."""
        return list(self.graves)

    def forget(self, node: NodeId) -> None:
        """Make room."""
        self.graves.remove(node)


class Wills:
    """What workers left, as a test has it."""

    def __init__(self) -> None:
        self.of: dict[WorkerId, Ends] = {}

    def ends(self, worker: WorkerId) -> Ends:
        """What this one left."""
        return self.of.get(worker, {})

    def left(self) -> list[WorkerId]:
        """Those who left anything."""
        return list(self.of)

    def forget(self, worker: WorkerId) -> None:
        """Let go of it."""
        del self.of[worker]


@pytest.fixture
def graveyard() -> Graveyard:
    return Graveyard()


@pytest.fixture
def wills() -> Wills:
    return Wills()


@pytest.fixture
def chores(
    store: SqlStore, bell: LocalBell, observer: Recorder, graveyard: Graveyard, wills: Wills
) -> dict[str, Loop]:
    """What a node does that may judge nobody."""
    tools = Tools(
        store=store,
        bell=bell,
        chance=SystemChance(),
        observer=observer,
        deaths=graveyard,
        wills=wills,
    )
    return {loop.name: loop for loop in rota(tools, lambda _: False)}


async def test_the_jobs_of_the_dead_are_reclaimed_before_their_lease_ends(
    store: SqlStore, fleet: Fleet, graveyard: Graveyard, chores: dict[str, Loop]
) -> None:
    node = await fleet.node()
    worker = await fleet.worker(node, "mail", pid=2)
    job = await fleet.job()
    await fleet.claim(node, worker, "mail")
    graveyard.graves.append(node)

    await chores["reclaim"].turn()

    found = await store.job(job)
    assert found is not None
    assert (found.state, found.lane) == (State.PENDING, Lane.OPEN)
    assert [one.error for one in await store.attempts(job)] == ["the node running it was lost"]


@pytest.mark.parametrize("age", [timedelta(minutes=59), timedelta(minutes=61)])
async def test_the_dead_are_remembered_until_the_store_has_forgotten_them(
    fleet: Fleet, graveyard: Graveyard, chores: dict[str, Loop], clock: OwnClock, age: timedelta
) -> None:
    node = await fleet.node()
    graveyard.graves.append(node)
    clock.advance(LEASE.total_seconds() + age.total_seconds())

    await chores["prune"].turn()

    assert graveyard.graves == ([node] if age < timedelta(hours=1) else [])


async def test_of_the_dead_whom_nobody_knows_nothing_is_kept(
    graveyard: Graveyard, chores: dict[str, Loop]
) -> None:
    graveyard.graves.append(NodeId("6f0a7a9e-0000-4000-8000-000000000001"))

    await chores["prune"].turn()

    assert graveyard.graves == []


async def test_by_the_will_of_a_dead_worker_its_jobs_have_ended(
    store: SqlStore,
    fleet: Fleet,
    graveyard: Graveyard,
    wills: Wills,
    chores: dict[str, Loop],
    clock: OwnClock,
) -> None:
    node = await fleet.node()
    worker = await fleet.worker(node, "mail", pid=2)
    job = await fleet.job()
    [claim] = await fleet.claim(node, worker, "mail")
    now = clock.monotonic()
    wills.of[worker] = {(job, claim.fence): done(claim, '"sent"', now, now)}
    graveyard.graves.append(node)

    await chores["reclaim"].turn()

    found = await store.job(job)
    assert found is not None
    assert (found.state, found.result) == (State.COMPLETED, '"sent"')


async def test_a_will_is_kept_until_nothing_of_its_worker_is_left_to_reclaim(
    fleet: Fleet, graveyard: Graveyard, wills: Wills, chores: dict[str, Loop]
) -> None:
    node = await fleet.node()
    busy, idle = [await fleet.worker(node, "mail", pid=2) for _ in range(2)]
    await fleet.job()
    await fleet.claim(node, busy, "mail")
    wills.of = {busy: {}, idle: {}, WorkerId("of whom nobody knows"): {}}

    await chores["prune"].turn()
    before = list(wills.of)
    graveyard.graves.append(node)
    await chores["reclaim"].turn()
    await chores["prune"].turn()

    assert before == [busy]
    assert wills.of == {}
