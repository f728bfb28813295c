"""A node that is cut off stops by itself before its lease ends, and is back soon after."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Node, Site, open_site
from tests.faults.dose import dose
from tests.faults.remote import CUTS, Reachable, Remote, elsewhere
from tests.faults.troubles import START, Troubles, ticks
from tests.waiting import until
from windlass.wiring import migrate

LEASE = 2.0  # seconds
TRUSTED = 0.8 * LEASE
TIMES = dose(short=1, full=10)  # of each kind of cut
CUT_FOR = dose(short=1.5, full=3.0) * LEASE
BACK_WITHIN = dose(short=30.0, full=5.0)
JOBS = 12  # of a round, eight of which the far node has room for


@pytest.fixture
def server() -> Iterator[Reachable]:
    """A PostgreSQL that can be called from elsewhere."""
    with Reachable() as server:
        yield server


@pytest.fixture
async def remote(server: Reachable) -> AsyncIterator[Remote]:
    """Where the node is that will be cut off."""
    async with elsewhere(server) as remote:
        yield remote


@pytest.fixture
async def site(tmp_path: Path, server: Reachable) -> AsyncIterator[Site]:
    """A site whose other nodes are here."""
    await migrate(server.url)
    async with open_site(tmp_path, server.url) as site:
        yield site


@pytest.mark.timeout(dose(short=180, full=900))
async def test_a_node_that_is_cut_off_stops_in_time_and_comes_back(
    site: Site, remote: Remote, record_property: Callable[[str, object], None]
) -> None:
    there = START._replace(within=remote.within)
    far = site.node(start=there, store=remote.url, slots=8, lease=f"{LEASE}s")
    near = site.node(start=START, slots=4, lease=f"{LEASE}s")
    await asyncio.gather(far.ready(), near.ready())

    acted, back = [], []
    for round_ in range(TIMES * len(CUTS)):
        acted.append(await cut_off(site, far, remote, round_))
        back.append(await come_back(site, far, remote, round_))
        await site.all_finished()

    record_property("by", remote.by)
    record_property("cuts", len(back))
    record_property("acted on for", f"{max(acted):.2f} s of a lease of {LEASE} s")
    record_property("back after", f"{max(back):.2f} s")
    assert site.audit() == Audit()
    assert not near.lost()
    assert max(acted) <= dose(short=10 * LEASE, full=TRUSTED + 0.2)
    assert max(back) <= BACK_WITHIN


async def cut_off(site: Site, far: Node, remote: Remote, round_: int) -> float:
    """Cut the far node off for a while; answer with how long it acted, in seconds."""
    tick, gate = Troubles(site.app).tick, site.folder / f"gate-{round_}"
    numbers = range(1_000 * round_, 1_000 * round_ + JOBS)
    begun = len(site.ledger)
    await site.enqueue(*(tick.job(number, str(gate)) for number in numbers))
    await site.begun(begun + JOBS)
    await until(lambda: ticks(site.ledger.path))

    await remote.cut(CUTS[round_ % len(CUTS)])
    cut = time.monotonic()
    await asyncio.sleep(CUT_FOR)
    pids = {worker.pid for worker in far.workers()}
    acts = [one.at - cut for one in ticks(site.ledger.path) if one.pid in pids and one.began < cut]
    gate.touch()
    return max(acts)


async def come_back(site: Site, far: Node, remote: Remote, round_: int) -> float:
    """Join it again; answer with the seconds until it begins a job."""
    pids = {worker.pid for worker in far.workers()}
    await remote.heal()
    healed, wall = time.monotonic(), time.time()
    number = 1_000 * round_ + JOBS

    async def begins() -> bool:
        nonlocal number
        await site.enqueue(*(site.works.rest.job(number + more, 0.1) for more in range(8)))
        number += 8
        await asyncio.sleep(0.1)
        return any(one.pid in pids and one.at > wall for one in site.ledger.entries())

    await until(begins, at_most=60)
    return time.monotonic() - healed
