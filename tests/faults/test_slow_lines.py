"""Lines to PostgreSQL that are slow, narrow and break: jobs start in time, and bells come back."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from statistics import quantiles

import pytest

from tests.acceptance import fleet
from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Site, Start, open_site
from tests.faults.dose import dose
from tests.faults.slow import SlowLines
from tests.waiting import until
from windlass.core.job import NewJob

JOBS = dose(short=100, full=1_000)
RATE = 50  # jobs a second
NODES = 2
# The poll, which needs no bell, and what the lines add.
IN_TIME = 1.0 + 0.2
# All of it together has a mark of its own: with both bells lost jobs are found by the poll, and a
# claim on a new connection takes four trips: ask for encryption, log in, prepare, claim.
ALL_IN_TIME = 2.0
HEARD_AGAIN_WITHIN = 15.0  # asked for after 9 s, given up 5 s later
SLOW, NARROW, BREAKING = (0.1, 1e9, 0.0), (0.0, 64 * 1024, 0.0), (0.0, 1e9, 0.01)
ALL = (0.1, 64 * 1024, 0.01)  # seconds each way, bytes a second, share of chunks
# Who asks sooner whether the line is still there is done sooner with a short dose.
IMPATIENT = Start(
    code=dose(
        short=f"from windlass.bell import postgres\npostgres.PROBE_EVERY = 2.0\n{fleet.START}",
        full=fleet.START,
    )
)


@pytest.fixture
async def lines(postgres_url: str) -> AsyncIterator[SlowLines]:
    """Lines to the PostgreSQL of the test."""
    lines = SlowLines(postgres_url, random.Random(6))
    async with lines.open():
        yield lines


@pytest.fixture
async def site(tmp_path: Path, postgres_url: str, lines: SlowLines) -> AsyncIterator[Site]:
    """A site whose nodes are at the far end of them; callers are near."""
    async with open_site(tmp_path, postgres_url) as site:
        for _ in range(NODES):
            site.node(start=IMPATIENT, store=lines.url, slots=50)
        await asyncio.gather(*(node.ready() for node in site.nodes))
        yield site


@pytest.mark.timeout(dose(short=120, full=300))
@pytest.mark.parametrize(
    "harm",
    dose(short=[ALL], full=[SLOW, NARROW, BREAKING, ALL]),
    ids=dose(short=["all"], full=["slow", "narrow", "breaking", "all"]),
)
async def test_jobs_start_in_time_over_lines_that_are_slow_and_narrow_and_break(
    harm: tuple[float, float, float],
    site: Site,
    lines: SlowLines,
    record_property: Callable[[str, object], None],
) -> None:
    lines.delay, lines.rate, lines.share = harm

    asked = await enqueue_steadily(site, JOBS)
    await site.all_finished()

    waits = latencies(site, asked)
    record_property("resets", lines.resets)
    record_property("start latency", told(waits))
    assert site.audit() == Audit()
    assert site.books.charges() == []
    assert bool(lines.resets) == bool(lines.share)
    mark = ALL_IN_TIME if harm == ALL else IN_TIME
    assert quantiles(waits, n=100)[98] <= dose(short=20.0, full=mark)


@pytest.mark.timeout(dose(short=120, full=300))
async def test_bells_are_heard_again_after_the_line_they_came_by_was_half_open(
    site: Site, lines: SlowLines, record_property: Callable[[str, object], None]
) -> None:
    await until(lambda: len(lines.listened) == NODES)

    deaf, since = lines.half_open(), time.monotonic()
    asked = await enqueue_steadily(site, JOBS // 5)
    await until(lambda: len(lines.listened) == 2 * NODES, at_most=60)
    healed = max(lines.listened) - since
    await site.all_finished()

    waits = latencies(site, asked)
    record_property("lines half-open", deaf)
    record_property("heard again after", f"{healed:.1f} s")
    record_property("start latency meanwhile", told(waits))
    assert site.audit() == Audit()
    assert deaf == NODES
    assert healed <= dose(short=60.0, full=HEARD_AGAIN_WITHIN)
    assert max(waits) <= dose(short=20.0, full=IN_TIME)


async def enqueue_steadily(site: Site, jobs: int) -> dict[str, float]:
    """Ask for jobs at a steady pace; when each was accepted, in seconds since 1970."""
    asked: dict[str, float] = {}
    began = time.monotonic()
    for number in range(jobs):
        await asyncio.sleep(began + number / RATE - time.monotonic())
        job: NewJob = site.works.rest.job(number, 0.01)
        await site.enqueue(job)
        asked[job.id] = time.time()
    return asked


def latencies(site: Site, asked: dict[str, float]) -> list[float]:
    """How long each job waited for its first start, in seconds."""
    first: dict[str, float] = {}
    for entry in site.ledger.entries():
        first.setdefault(entry.job, entry.at)
    return [max(0.0, first[job] - at) for job, at in asked.items()]


def told(waits: list[float]) -> str:
    """What they come to."""
    cuts = quantiles(waits, n=100)
    return f"p50 {cuts[49]:.2f}, p99 {cuts[98]:.2f}, longest {max(waits):.2f} s"
