"""A worker inside another program runs the same jobs, and leaves as orderly."""

import threading

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Site
from tests.acceptance.jobs import LEDGER


async def test_a_worker_in_this_process_finishes_what_it_began_and_hands_back_the_rest(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LEDGER, str(site.ledger.path))
    kinds = (site.works.effect, site.works.plain_effect, site.works.rest, site.works.toil)
    await site.enqueue(*(kinds[number % 4].job(number, 0.1) for number in range(400)))

    async with site.app.worker():
        await site.begun(100)
    left = site.books.live()
    fleet = await site.app.fleet()
    threads = {thread.name for thread in threading.enumerate()}
    async with site.app.worker():
        await site.all_finished()

    assert left.keys() == {"pending"}
    assert (fleet.nodes, fleet.workers) == ([], [])
    assert not {name for name in threads if name == "windlass-lease"}
    assert site.audit() == Audit()
    assert len(site.ledger) == len(site.accepted)
    assert site.books.unwell() == []
