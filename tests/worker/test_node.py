"""A node holds its lease, passes on what it hears, and leaves nothing behind."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import nullcontext
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.embedded import Fleet, embedded_store
from tests.recorder import Recorder
from tests.waiting import until
from windlass.bell.base import ASKED, CHANGED, LATER
from windlass.bell.local import LocalBell
from windlass.clock import SystemChance, SystemClock
from windlass.core.errors import StoreAway
from windlass.core.job import JobId, NodeId, State
from windlass.observe.events import (
    BellHeard,
    LeaseLost,
    LeaseRenewed,
    NodeForgotten,
    NodeJoined,
    NodeLeft,
)
from windlass.store.records import Ask, NodeRecord, Standing
from windlass.store.sql_store import SqlStore
from windlass.upkeep.rota import PACES, Tools, rota
from windlass.worker.background import background
from windlass.worker.lease import LocalLease
from windlass.worker.node import Aside, Node, Outfit
from windlass.worker.tenure import LeaseTerms

TERMS = LeaseTerms(ttl=15, every=0.02)


class Watched:
    """A crew that does nothing but remember."""

    listens = False

    def __init__(self) -> None:
        self.rings = 0
        self.suspicions = 0
        self.asks: list[Ask] = []
        self.standings: list[Standing] = []

    def ring(self, *, wide: bool) -> None:  # noqa: ARG002
        """Remember the ring."""
        self.rings += 1

    def cancel(self, ask: Ask) -> None:
        """Remember the ask."""
        self.asks.append(ask)

    def learn(self, standing: Standing) -> None:
        """Remember the standing."""
        self.standings.append(standing)

    def suspect(self) -> None:
        """Remember the suspicion."""
        self.suspicions += 1


class Flaky(SqlStore):
    """A store whose renewals fail while the test says so."""

    away = False

    async def renew(self, node: NodeId, lease: timedelta) -> Standing:
        """Renew, unless it is away."""
        if self.away:
            raise StoreAway("no route to it")
        return await super().renew(node, lease)


class Site:
    """One store in a file, and everything a node needs to work there."""

    def __init__(self, store: SqlStore, lease_store: Flaky) -> None:
        self.store = store
        self.lease_store = lease_store
        self.fleet = Fleet(store)
        self.observer = Recorder()
        self.bell = LocalBell(
            None, clock=SystemClock(), chance=SystemChance(), observer=self.observer
        )
        self.crew = Watched()
        self.lease = LocalLease(SystemClock())

    def node(self, terms: LeaseTerms = TERMS, aside: Aside = background) -> Node:
        """A node that has not joined yet."""
        tools = Tools(
            store=self.store,
            bell=self.bell,
            chance=SystemChance(),
            observer=self.observer,
        )
        outfit = Outfit(
            store=self.store,
            open_lease_store=lambda: nullcontext(self.lease_store),
            bell=self.bell,
            clock=SystemClock(),
            chance=SystemChance(),
            observer=self.observer,
            rota=partial(rota, tools),
            answering=lambda _: nullcontext(),
            aside=aside,
            terms=terms,
        )
        record = NodeRecord(id=NodeId(SystemChance().token()), host="here", pid=1, version="0")
        return Node(record, outfit, self.lease)

    async def state(self, job_id: JobId) -> State:
        """The state of a job."""
        found = await self.store.job(job_id)
        assert found is not None
        return found.state


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    path, clock = tmp_path / "jobs.db", SystemClock()
    async with embedded_store(path, clock) as store, embedded_store(path, clock) as second:
        yield Site(store, Flaky(second.database, clock))


async def test_a_node_joins_renews_and_leaves(site: Site) -> None:
    node = site.node()

    async with node.on_duty(site.crew):
        await until(lambda: len(site.observer.of(LeaseRenewed)) >= 2)
        trusted = site.lease.trusted()
        fleet = await site.store.fleet()

    assert trusted
    assert [record.id for record, *_ in fleet.nodes] == [node.id]
    assert (await site.store.fleet()).nodes == []
    assert not site.lease.trusted()
    assert len(site.observer.of(NodeJoined)) == 1
    assert isinstance(site.observer.events[-1], NodeLeft)


async def test_what_a_renewal_tells_reaches_the_workers(site: Site) -> None:
    node = site.node()

    async with node.on_duty(site.crew):
        await site.fleet.worker(node.id, "mail")
        await until(lambda: site.crew.standings and site.crew.standings[-1].widest == 4)


async def test_a_lease_that_cannot_be_renewed_is_trusted_no_longer_than_it_lasts(
    site: Site,
) -> None:
    node = site.node(LeaseTerms(ttl=1.5, every=0.02))

    async with node.on_duty(site.crew):
        await until(lambda: site.observer.of(LeaseRenewed))
        site.lease_store.away = True
        await until(lambda: site.observer.of(LeaseLost))
        trusted = site.lease.trusted()
        site.lease_store.away = False
        await until(site.lease.trusted)

    assert not trusted
    assert len(site.observer.of(LeaseLost)) == 1


async def test_a_node_may_judge_after_one_lease_and_not_after_an_outage(site: Site) -> None:
    node = site.node(LeaseTerms(ttl=1.0, every=0.05))

    async with node.on_duty(site.crew):
        assert not node.may_judge()
        await until(node.may_judge)
        site.lease_store.away = True
        await until(lambda: not node.may_judge())


async def test_a_node_that_the_fleet_forgot_says_so_and_trusts_nothing(site: Site) -> None:
    node = site.node()

    async with node.on_duty(site.crew):
        await site.store.leave(node.id)
        await node.forgotten.wait()

        assert not site.lease.trusted()
    assert site.observer.of(NodeForgotten) == [NodeForgotten(node.id)]


@pytest.fixture
def nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chores are done when somebody asks for them, and not by the clock before the test is over."""
    monkeypatch.setattr("windlass.worker.node.ASK_EVERY", 60.0)
    for chore in ("promote", "reclaim"):
        monkeypatch.setitem(PACES, chore, replace(PACES[chore], every=60.0))


async def test_an_ask_to_cancel_reaches_the_worker_at_the_sound_of_a_bell(
    nobody_looks: None, site: Site
) -> None:
    node = site.node()

    async with node.on_duty(site.crew):
        worker = await site.fleet.worker(node.id, "mail")
        job = await site.fleet.job()
        [claim] = await site.fleet.claim(node.id, worker, "mail")
        await site.store.cancel([job])
        await site.bell.ring([ASKED])
        await until(lambda: site.crew.asks)

    assert site.crew.asks[0] == Ask(job, claim.fence, worker)


async def test_a_ring_for_a_queue_reaches_the_workers(site: Site) -> None:
    node = site.node()

    async with node.on_duty(site.crew):
        await until(lambda: site.observer.of(LeaseRenewed))
        await site.bell.ring(["mail"])
        await until(lambda: site.crew.rings == 1)
        await site.bell.ring([LATER, ASKED, CHANGED])
        await until(lambda: len(site.observer.of(BellHeard)) == 2)

    assert site.crew.rings == 1


async def test_a_job_scheduled_for_soon_is_put_in_line_sooner_than_anyone_looks(
    nobody_looks: None, site: Site
) -> None:
    node = site.node()

    async with node.on_duty(site.crew):
        await until(lambda: site.observer.of(LeaseRenewed))
        job = await site.fleet.job(delay=0.2)
        due = asyncio.get_running_loop().time() + 0.2
        await site.bell.ring([LATER])

        async def pending() -> bool:
            return await site.state(job) is State.PENDING

        await until(pending)
        late = asyncio.get_running_loop().time() - due

    assert -0.01 <= late < 20


async def test_jobs_of_a_dismissed_worker_are_reclaimed_at_once(
    nobody_looks: None, site: Site
) -> None:
    node = site.node()

    async with node.on_duty(site.crew):
        worker = await site.fleet.worker(node.id, "mail")
        job = await site.fleet.job()
        await site.fleet.claim(node.id, worker, "mail")
        node.dismiss(worker)

        async def pending() -> bool:
            return await site.state(job) is State.PENDING

        await until(pending)


async def test_who_reclaims_the_jobs_of_a_dead_node_gets_ready_to_run_suspects(site: Site) -> None:
    lost = await site.fleet.node()
    worker = await site.fleet.worker(lost, "mail")
    await site.fleet.job()
    await site.fleet.claim(lost, worker, "mail")

    async with site.node().on_duty(site.crew):
        await until(lambda: site.observer.of(LeaseRenewed))
        before = site.crew.suspicions
        await site.store.leave(lost)
        await until(lambda: site.crew.suspicions)

    assert not before


async def test_a_worker_dismissed_at_the_very_end_leaves_no_job_behind(site: Site) -> None:
    node = site.node()

    async with node.on_duty(site.crew):
        worker = await site.fleet.worker(node.id, "mail")
        job = await site.fleet.job()
        await site.fleet.claim(node.id, worker, "mail")
        node.dismiss(worker)

    assert await site.state(job) is State.PENDING


async def test_an_error_in_the_block_is_raised_as_it_is_after_leaving(site: Site) -> None:
    with pytest.raises(ValueError, match="mine"):
        async with site.node().on_duty(site.crew):
            raise ValueError("mine")

    assert (await site.store.fleet()).nodes == []
