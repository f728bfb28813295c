"""A node that is cut off from PostgreSQL stops by itself, and is back when its lines are."""

import random
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Site, open_site
from tests.acceptance.lines import Lines
from tests.waiting import until

JOBS = 10  # of each kind


@pytest.fixture
async def lines(postgres_url: str) -> AsyncIterator[Lines]:
    """The lines of the node that will be cut off."""
    lines = Lines(postgres_url, random.Random(9))
    async with lines.open():
        yield lines


@pytest.fixture
async def site(tmp_path: Path, postgres_url: str) -> AsyncIterator[Site]:
    """A site on PostgreSQL."""
    async with open_site(tmp_path, postgres_url) as site:
        yield site


@pytest.mark.timeout(180)
async def test_what_a_node_brings_back_after_it_was_cut_off_is_refused(
    site: Site, lines: Lines
) -> None:
    gate = site.folder / "gate"
    effects = [site.works.gated_effect.job(number, str(gate)) for number in range(JOBS)]
    toils = [site.works.gated_toil.job(JOBS + number, str(gate)) for number in range(JOBS)]
    far = site.node(store=lines.url, lease="3s")
    await site.enqueue(*effects, *toils)
    await site.begun(2 * JOBS)
    near = site.node(lease="3s")
    await near.ready()

    lines.whole.clear()
    await until(lambda: far.said("lease lost"))
    await until(lambda: near.said("jobs reclaimed"))
    gate.touch()
    await site.all_finished()
    lines.whole.set()
    await until(lambda: far.lost() >= {job.id for job in toils})
    near.signal(signal.SIGTERM)
    await near.ended()
    await site.enqueue(site.works.rest.job(2 * JOBS, 0))
    await site.all_finished()

    assert site.audit() == Audit()
    assert not near.lost()
