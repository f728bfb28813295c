"""What an operator asks for reaches processes that run elsewhere."""

import time

from tests.acceptance.fleet import Site
from tests.faults.dose import dose
from windlass.core.job import State


async def test_a_cancel_reaches_a_running_job_in_another_process(site: Site) -> None:
    job = site.works.rest.job(0, 60)
    await site.node().ready()
    await site.enqueue(job)
    await site.begun(1)

    asked = time.monotonic()
    await site.app.cancel(job.id)
    cancelled = await site.app.wait(job.id, timeout=30)
    took = time.monotonic() - asked

    assert cancelled.state is State.CANCELLED
    assert took <= dose(short=10.0, full=1.5)


async def test_a_job_that_was_cancelled_before_its_time_never_starts(site: Site) -> None:
    await site.node().ready()
    later = site.works.rest.options(delay=1.5).job(0, 0)
    witness = site.works.rest.options(delay=1.6).job(1, 0)
    await site.enqueue(later, witness)

    await site.app.cancel(later.id)
    await site.app.wait(witness.id)

    assert [entry.number for entry in site.ledger.entries()] == [1]


async def test_a_paused_queue_starts_nothing_until_it_is_resumed(site: Site) -> None:
    await site.node(slots=4).ready()
    await site.enqueue(*(site.works.rest.job(number, 0.02) for number in range(1_000)))
    await site.begun(20)

    await site.app.pause("default")
    paused = time.time()
    # Other queues go on meanwhile: what does not start is not held up by anything else.
    witness = site.works.rest.options(queue="other")
    for number in range(3):
        await site.app.wait((await witness.options(delay=0.4).enqueue(1_000 + number, 0)).id)
    starts = site.ledger.entries()
    await site.app.resume("default")
    await site.begun(len(starts) + 100)

    # What was claimed already and waited for its slot; the rest would have been done by now.
    assert len([start for start in starts if start.at > paused and start.number < 1_000]) <= 30
