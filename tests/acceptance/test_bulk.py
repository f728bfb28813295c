"""A bulk action goes on where it was, whoever is killed, and changes each job once."""

from contextlib import suppress

import msgspec
import psutil
import pytest

from tests.acceptance.fleet import Site
from tests.waiting import until
from windlass.core.bulk import Place
from windlass.core.job import JobId, State
from windlass.store.sql_bulk import PLACE

JOBS = 30_000


@pytest.mark.timeout(180)
async def test_no_chunk_is_lost_or_repeated_though_its_workers_are_killed(site: Site) -> None:
    later = site.works.rest.options(delay=3600)
    await site.app.enqueue_many([later.job(number=0, seconds=0) for _ in range(JOBS)])
    node = site.node(lease="5s")
    await node.ready()
    action = (await site.app.bulk("cancel", "type:rest")).id

    await kill_at(site, action, 5_000)  # among others
    await kill_at(site, action, 10_000)  # alone
    await reached(site, action, 15_000)
    node.kill()  # the supervisor with all its workers
    killed_at = await matched(site, action)
    site.node(lease="5s")
    job = await site.app.wait(action, timeout=90)

    assert 15_000 <= killed_at < JOBS  # or it was over, and killing proved nothing
    assert job.result == {"matched": JOBS, "changed": JOBS}
    assert (await site.app.stats())[State.CANCELLED] == JOBS
    assert (job.attempts, job.crashes) == (1, 2)


@pytest.mark.timeout(120)
async def test_a_frozen_worker_comes_back_too_late_to_change_anything(site: Site) -> None:
    later = site.works.rest.options(delay=3600)
    await site.app.enqueue_many([later.job(number=0, seconds=0) for _ in range(3_000)])
    frozen = site.node(lease="3s")
    await frozen.ready()
    action = (await site.app.bulk("cancel", "type:rest", rate=500)).id
    await reached(site, action, 500)

    frozen.freeze(site.books)
    other = site.node(lease="3s")
    await reached(site, action, 1_500, at_most=40)
    frozen.thaw()
    job = await site.app.wait(action, timeout=60)

    assert job.result == {"matched": 3_000, "changed": 3_000}
    assert (await site.app.stats())[State.CANCELLED] == 3_000
    await until(lambda: action in frozen.lost() or frozen.said("node forgotten"))
    assert action not in other.lost()


async def matched(site: Site, action: JobId) -> int:
    """How far the action has come."""
    kept = await site.app.kept(action, PLACE)
    return msgspec.json.decode(kept.content, type=Place).matched if kept else 0


async def reached(site: Site, action: JobId, jobs: int, at_most: float = 30) -> None:
    """Wait until the action has come so far."""

    async def there() -> bool:
        return await matched(site, action) >= jobs

    await until(there, at_most=at_most)


async def kill_at(site: Site, action: JobId, jobs: int) -> None:
    """Kill whoever does it, once it has come so far."""
    await reached(site, action, jobs)

    async def killed() -> bool:
        worker = (await site.app.get(action)).worker
        for status in (await site.app.fleet()).workers:
            if status.record.id == worker:
                # Whoever was killed before has it until that is noticed.
                with suppress(psutil.NoSuchProcess):
                    process = psutil.Process(status.record.pid)
                    if process.status() != psutil.STATUS_ZOMBIE:
                        process.kill()
                        return True
        return False

    await until(killed)
