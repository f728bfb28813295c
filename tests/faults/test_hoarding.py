"""Nobody holds jobs back that another worker could run: long ones are done as soon as can be."""

import heapq
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Site
from tests.faults.dose import dose

JOBS = dose(short=24, full=40)
LENGTH = dose(short=1.0, full=5.0)
SLOTS = 2  # of each of four workers
LONGER = 1.15
# What a machine with much else to do takes for five rounds of claims, which are short of work.
LATE = dose(short=4.0, full=0.5)
# How long a job may wait for its start in the hands of who claimed it; less than its length.
HELD_BACK = dose(short=0.9, full=0.1)


class Watch:
    """Looks again and again at which jobs somebody holds."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._over = threading.Event()
        self.held: dict[str, float] = {}  # since when, in seconds since 1970
        self.looks = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Look while the block runs."""
        thread = threading.Thread(target=self._look)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def _look(self) -> None:
        asked = "select id::text from windlass_jobs where state = 'running'"
        with psycopg.connect(self._url, autocommit=True) as connection:
            while not self._over.wait(0.02):
                for (job,) in connection.execute(asked):
                    self.held.setdefault(job, time.time())
                self.looks += 1


@pytest.mark.timeout(180)
async def test_long_jobs_are_spread_over_all_who_have_room(
    postgres_site: Site, record_property: Callable[[str, object], None]
) -> None:
    site = postgres_site
    for node in [site.node(slots=SLOTS) for _ in range(3)]:
        await node.ready()
    watch = Watch(site.url)

    with watch.watching():
        began = time.monotonic()
        await site.enqueue(*(site.works.rest.job(number, LENGTH) for number in range(JOBS)))
        late = site.node(slots=SLOTS)
        await late.ready()
        joined = time.monotonic() - began
        await site.all_finished()
    took = ended(site) - began

    best, idle = shortest(joined), held_back(site, watch)
    record_property("joined after", f"{joined:.2f} s")
    record_property("took", f"{took:.2f} s")
    record_property("at best", f"{best:.2f} s")
    record_property("longest held before its start", f"{idle * 1000:.0f} ms")
    assert site.audit() == Audit()
    assert idle <= HELD_BACK
    assert took <= LONGER * best + LATE
    assert watch.looks > JOBS


def ended(site: Site) -> float:
    """When the last of them was through, by the clock that does not jump."""
    last = max(entry.at for entry in site.ledger.entries())
    return last - (time.time() - time.monotonic()) + LENGTH


def held_back(site: Site, watch: Watch) -> float:
    """The longest that a claimed job had to wait for its start."""
    starts = {entry.job: entry.at for entry in site.ledger.entries()}
    return max(0.0, *(starts[job] - since for job, since in watch.held.items()))


def shortest(joined: float) -> float:
    """How long it takes if every slot takes the next job at once, those of the last from then."""
    free = [0.0] * 3 * SLOTS + [joined] * SLOTS
    heapq.heapify(free)
    return max(heapq.heapreplace(free, free[0] + LENGTH) + LENGTH for _ in range(JOBS))
