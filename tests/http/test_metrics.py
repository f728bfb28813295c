"""Metrics over HTTP: totals of the fleet that never go down, at the cost of one who asks."""

import asyncio
from collections import Counter

import aiohttp
import pytest

from tests.http.asking import ask, finished
from tests.store.yard import OwnClock
from windlass import Windlass
from windlass.core.errors import StoreAway
from windlass.http.scraped import Scraped
from windlass.http.service import Service
from windlass.observe.events import JobsPromoted
from windlass.observe.metrics import Metrics
from windlass.store.base import Database
from windlass.store.script import Rows, Statement

ADDED = {"type": "add_numbers", "payload": {"x": 1, "y": 2}}
OF_SUMS = '{queue="default",type="add_numbers"}'


def samples(text: str) -> dict[str, float]:
    """Every sample, by its name with its labels."""
    pairs = [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]
    return {name.removeprefix("windlass_"): float(value) for name, value in pairs}


async def scraped(app: Windlass, metrics: Metrics | None = None) -> dict[str, float]:
    """What another process would answer now, which has nothing in its memory."""
    text = await Scraped(app, OwnClock(), metrics or Metrics()).text()
    return samples(text.decode())


async def test_the_seeds_metrics_are_there(client: aiohttp.ClientSession) -> None:
    await ask(client, "POST", "/jobs", ADDED)

    status, headers, text = await ask(client, "GET", "/metrics")

    assert status == 200
    assert headers["Content-Type"].startswith("text/plain; version=0.0.4")
    told = samples(text)
    assert told[f"jobs_submitted_total{OF_SUMS}"] == 1
    for name in ("completed", "retried", "failed", "dead", "cancelled"):
        assert told[f"jobs_{name}_total{OF_SUMS}"] == 0
    assert told['queue_depth{queue="default"}'] == 1
    assert told['jobs_in_flight{queue="default"}'] == 0
    assert told["workers_active"] == 0
    assert told["store_up"] == 1


async def test_totals_of_the_fleet_never_go_down(
    client: aiohttp.ClientSession, app: Windlass
) -> None:
    async with app.worker():
        _, _, job = await ask(client, "POST", "/jobs", ADDED)
        await finished(client, job["id"])
        working = await scraped(app)
    await ask(client, "DELETE", f"/jobs/{job['id']}")

    told = await scraped(app)

    assert working["workers_active"] == working["nodes_active"] == 1
    assert told[f"jobs_completed_total{OF_SUMS}"] == 1
    assert told[f"job_run_seconds_total{OF_SUMS}"] >= 0
    _, _, stats = await ask(client, "GET", "/stats")
    assert stats["completed"] == 0


async def test_what_this_process_counted_is_there_too(app: Windlass) -> None:
    metrics = Metrics()
    metrics.on(JobsPromoted(3))

    told = await scraped(app, metrics)

    assert told["jobs_promoted_total"] == 3


async def test_however_many_scrape_the_store_is_asked_once(
    client: aiohttp.ClientSession, app: Windlass, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[str] = Counter()
    database: Database = (await app.home()).store.database  # type: ignore[attr-defined]
    read = database.read

    async def counted(statement: Statement) -> Rows:
        asked[statement.name] += 1
        return await read(statement)

    monkeypatch.setattr(database, "read", counted)
    clock = OwnClock()
    shared = Scraped(app, clock, Metrics())

    await asyncio.gather(*[shared.text() for _ in range(50)])
    first = asked.copy()
    clock.advance(1.1)
    await shared.text()

    assert set(first.values()) == {1}
    assert asked["totals"] == 2


async def test_a_store_that_is_away_is_told_of_with_all_the_rest(
    service: Service, client: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away() -> None:
        raise StoreAway("nobody answers")

    monkeypatch.setattr((await service.app.home()).store, "totals", away)

    status, _, text = await ask(client, "GET", "/metrics")

    assert status == 200
    told = samples(text)
    assert told["store_up"] == 0
    assert "http_requests_broken_total" in told
