"""Frozen nodes: after their lease nothing they bring back counts, before it nothing is taken."""

import asyncio
import time
from collections.abc import Callable
from datetime import datetime

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Node, Site
from tests.faults.dose import dose
from tests.faults.troubles import START, Troubles, ticks
from tests.waiting import until

LEASE = dose(short=3.0, full=2.0)  # seconds
BEAT = LEASE / 5
NODES = 4  # that are frozen, all at once
ROUNDS = dose(short=1, full=10)
FROZEN_FOR = dose(short=1.5, full=3.0) * LEASE
JOBS = 20  # of a round; some of them run where nobody is frozen
ZOMBIES = ROUNDS * NODES

FROZEN = dose(short=2, full=4)  # nodes
FREEZES = dose(short=2, full=50)  # of each of the nodes, for half a lease
# A machine under load freezes for longer than it was asked to.
LONGER_LEASE = 4.0


@pytest.mark.timeout(dose(short=120, full=900))
async def test_nothing_that_zombies_bring_back_counts_and_they_act_no_more(
    postgres_site: Site, record_property: Callable[[str, object], None]
) -> None:
    site = postgres_site
    fleet = [site.node(start=START, slots=4, lease=f"{LEASE}s") for _ in range(NODES)]
    keeper = site.node(start=START, slots=4, lease=f"{LEASE}s")
    await asyncio.gather(*(node.ready() for node in (*fleet, keeper)))

    acted = [await haunted(site, fleet, round_) for round_ in range(ROUNDS)]

    refused = sum(len(line["jobs"]) for node in fleet for line in node.said("claims lost"))
    record_property("zombies", ZOMBIES)
    record_property("stale settlements refused", refused)
    record_property("acted on for", f"{max(acted):.2f} s")
    assert site.audit() == Audit()
    assert refused >= ZOMBIES
    assert not keeper.lost()
    assert max(acted) <= dose(short=5 * LEASE, full=BEAT)


async def haunted(site: Site, fleet: list[Node], round_: int) -> float:
    """Make zombies of the nodes; answer with how long they acted upon lost claims, in seconds."""
    gate = site.folder / f"gate-{round_}"
    numbers = range(round_ * JOBS, (round_ + 1) * JOBS)
    kinds = (Troubles(site.app).tick, site.works.gated_toil)
    begun = len(site.ledger)
    await site.enqueue(*(kinds[number % 2].job(number, str(gate)) for number in numbers))
    await site.begun(begun + JOBS)
    # A coroutine ends with its claim; a thread goes on, and brings back what nobody wants.
    toiling = {entry.pid for entry in site.ledger.entries()[begun:] if entry.number % 2}
    lost = {node: len(node.said("claims lost")) for node in fleet if toiling & pids_of(node)}

    for node in fleet:
        node.freeze(site.books)
    frozen, pids = time.monotonic(), set[int]().union(*map(pids_of, fleet))
    await asyncio.sleep(FROZEN_FOR)
    thawed = time.monotonic()
    for node in fleet:
        node.thaw()
    await asyncio.sleep(2 * BEAT)
    gate.touch()
    await site.all_finished()
    for node, before in lost.items():
        await until(lambda: len(node.said("claims lost")) > before)  # noqa: B023 — awaited at once

    stale = [one for one in ticks(site.ledger.path) if one.pid in pids and one.began < frozen]
    return max((one.at - thawed for one in stale if one.at > thawed), default=0.0)


def pids_of(node: Node) -> set[int]:
    """The processes of a node that run jobs."""
    return {worker.pid for worker in node.workers()}


@pytest.mark.timeout(dose(short=120, full=900))
async def test_nothing_is_taken_from_nodes_that_are_frozen_for_half_a_lease(
    postgres_site: Site, record_property: Callable[[str, object], None]
) -> None:
    site = postgres_site
    nodes = [site.node(slots=8, lease=f"{LONGER_LEASE}s", log="debug") for _ in range(1 + FROZEN)]
    fleet = nodes[1:]  # the first of them judges
    await asyncio.gather(*(node.ready() for node in nodes))
    jobs = dose(short=100, full=2_000)
    await site.enqueue(*(site.works.effect.job(number, 0.5) for number in range(jobs)))

    await site.begun(1)
    await asyncio.gather(*(stutter(site, node) for node in fleet))
    await site.all_finished()

    rescues = [at for node in site.nodes for at in told(node, "jobs reclaimed")]
    false = [at for at in rescues if not any(lapsed(node, at) for node in fleet)]
    record_property("freezes", FREEZES * len(fleet))
    record_property("false rescues", len(false))
    record_property("nodes that the machine kept from renewing", len(rescues) - len(false))
    record_property("repeated starts", len(site.ledger) - jobs)
    assert site.audit() == Audit()
    assert all(told(node, "lease renewed") for node in fleet)
    assert false == []


async def stutter(site: Site, node: Node) -> None:
    """Freeze a node for half a lease, again and again; in between it renews its lease."""
    for _ in range(FREEZES):
        node.freeze(site.books)
        await asyncio.sleep(LONGER_LEASE / 2)
        node.thaw()
        await asyncio.sleep(LONGER_LEASE * 0.3)


def told(node: Node, message: str) -> list[float]:
    """When a node said this, in seconds since 1970."""
    return [datetime.fromisoformat(line["time"]).timestamp() for line in node.said(message)]


def lapsed(node: Node, at: float) -> bool:
    """Whether a lease had run out by then: it was renewed no later than a lease before."""
    return not any(at - LONGER_LEASE < renewed <= at for renewed in told(node, "lease renewed"))
