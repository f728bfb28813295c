"""Who is known to be dead is waited for no longer, and is remembered until nothing is left."""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from tests.embedded import LEASE, Fleet, OwnClock
from tests.recorder import Recorder
from windlass.bell.local import LocalBell
from windlass.clock import SystemChance
from windlass.core.job import Lane, NodeId, State
from windlass.loop import Loop
from windlass.store.sql_store import SqlStore
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


@pytest.fixture
def graveyard() -> Graveyard:
    return Graveyard()


@pytest.fixture
def chores(
    store: SqlStore, bell: LocalBell, observer: Recorder, graveyard: Graveyard
) -> dict[str, Loop]:
    """What a node does that may judge nobody."""
    tools = Tools(
        store=store, bell=bell, chance=SystemChance(), observer=observer, deaths=graveyard
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
