"""A transaction that stays open keeps every dead row in the way; claims stay as quick."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count
from statistics import quantiles

import psycopg
import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import START, Node, Site, surroundings
from tests.faults.dose import dose

RATE = 200  # jobs a second
CALM = dose(short=1.5, full=60.0)
HELD = dose(short=3.0, full=600.0)
# On a machine that has much else to do the slowest of a few claims tell of that alone.
WHICH = dose(short=50, full=99)
SLOWER = 3.0
ANYWAY = dose(short=0.1, full=0.005)  # seconds that nobody would call slow
# From when on a doctor speaks of an open transaction.
LONG = 60.0


@pytest.mark.timeout(1200)
async def test_claims_stay_quick_while_a_transaction_holds_back_vacuum(
    postgres_site: Site, record_property: Callable[[str, object], None]
) -> None:
    site = postgres_site
    node = site.node(log="debug")
    await node.ready()
    numbers = count()

    await feed(site, numbers, CALM)
    calm = claims(node)
    with psycopg.connect(site.url) as reader:
        reader.execute("set transaction isolation level repeatable read")
        reader.execute("select count(*) from windlass_jobs")
        began = time.monotonic()
        await feed(site, numbers, HELD)
        held = claims(node)[len(calm) :]
        told = time.monotonic() - began > LONG and warned(site)
        dead = dead_rows(site.url)
    await site.all_finished()

    usual, slow = percentile(calm), percentile(held[len(held) // 2 :])
    record_property("jobs", len(site.accepted))
    record_property("dead rows", dead)
    record_property(f"claim p{WHICH} calm", f"{usual * 1000:.2f} ms")
    record_property(f"claim p{WHICH} held", f"{slow * 1000:.2f} ms")
    record_property("doctor warned", told)
    assert site.audit() == Audit()
    assert slow <= SLOWER * usual + ANYWAY
    assert dead >= RATE * HELD  # each claim and each end leaves one
    assert told or HELD < LONG


async def feed(site: Site, numbers: "count[int]", seconds: float) -> None:
    """Ask for so many jobs in each second."""
    began = time.monotonic()
    sent = 0
    while (passed := time.monotonic() - began) < seconds:
        wanted = int(passed * RATE) - sent
        if wanted:
            await site.enqueue(*(site.works.rest.job(next(numbers), 0) for _ in range(wanted)))
        sent += wanted
        await asyncio.sleep(0.05)


def claims(node: Node) -> list[float]:
    """How long each claim took that found something, in seconds."""
    return [line["took"] for line in node.said("jobs claimed") if line["count"]]


def percentile(took: list[float]) -> float:
    return quantiles(took, n=100)[WHICH - 1]


def dead_rows(url: str) -> int:
    """How many rows of the hot table nobody needs any more."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("select pg_stat_force_next_flush()")
        asked = "select n_dead_tup from pg_stat_user_tables where relname = 'windlass_jobs'"
        [dead] = connection.execute(asked).fetchone() or [0]
    return int(dead)


def warned(site: Site) -> bool:
    """Whether a doctor says what is wrong."""
    found = subprocess.run(
        [sys.executable, "-c", START, "--json", "doctor"],
        env={**surroundings(), "WINDLASS_STORE": site.url},
        cwd=site.folder,
        capture_output=True,
        check=False,
    )
    findings = json.loads(found.stdout)["findings"]
    return any(one["check"] == "vacuum" and one["verdict"] == "warning" for one in findings)
