"""Somebody takes every connection that PostgreSQL has; the fleet waits, and goes on."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.feeding import feeding
from tests.acceptance.fleet import Site, open_site
from tests.faults.dose import dose
from tests.services import PostgresServer
from tests.waiting import until
from windlass.wiring import migrate

TIMES = dose(short=1, full=5)
TAKEN_FOR = dose(short=1.5, full=10.0)
BACK_WITHIN = dose(short=30.0, full=5.0)
OURS = "application_name = 'windlass'"


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A PostgreSQL with few connections."""
    with PostgresServer({"max_connections": "40"}) as server:
        yield server


@pytest.fixture
async def site(tmp_path: Path, server: PostgresServer) -> AsyncIterator[Site]:
    """A site that depends on it."""
    await migrate(server.url)
    async with open_site(tmp_path, server.url) as site:
        yield site


@contextmanager
def greed(url: str) -> Iterator[int]:
    """Hang up on the fleet, and take whatever can be had, again and again, while the block runs."""
    with ExitStack() as taken:
        first = taken.enter_context(psycopg.connect(url, autocommit=True))
        count = 1
        try:
            while True:
                first.execute(
                    f"select pg_terminate_backend(pid) from pg_stat_activity where {OURS}"  # noqa: S608
                )
                taken.enter_context(psycopg.connect(url))
                count += 1
        except psycopg.OperationalError:
            yield count


@pytest.mark.timeout(180)
async def test_a_fleet_without_connections_waits_for_them_and_loses_nothing(
    site: Site, server: PostgresServer, record_property: Callable[[str, object], None]
) -> None:
    nodes = [site.node(slots=8) for _ in range(2)]
    for node in nodes:
        await node.ready()
    workers = {worker.pid for node in nodes for worker in node.workers()}
    back, taken = [], []

    async with feeding(site, lambda number: site.works.effect.job(number, 0.01)):
        for _ in range(TIMES):
            await site.begun(len(site.ledger) + 50)
            with greed(server.url) as connections:
                taken.append(connections)
                await asyncio.sleep(TAKEN_FOR)
            freed, begun = time.monotonic(), len(site.ledger)
            await until(lambda: len(site.ledger) > begun)  # noqa: B023
            back.append(time.monotonic() - freed)
    await site.all_finished()

    for name, figure in site.account()._asdict().items():
        record_property(name, figure)
    record_property("connections taken", max(taken))
    record_property("back after", ", ".join(f"{one:.2f} s" for one in back))
    assert site.audit() == Audit()
    assert site.books.charges() == []
    assert workers <= {worker.pid for node in nodes for worker in node.workers()}
    assert max(back) <= BACK_WITHIN
