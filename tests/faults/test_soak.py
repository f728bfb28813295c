"""Everything at once, at random, for as long as somebody asks: FAULTS_SOAK=4h script/faults F34."""

import asyncio
import os
import random
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from statistics import linear_regression, median
from typing import NamedTuple

import psutil
import psycopg
import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.feeding import feeding
from tests.acceptance.fleet import Node, Site, open_site
from tests.acceptance.mischief import HARMS, harmed
from tests.services import PostgresServer, RedisServer
from tests.waiting import until
from windlass.core.duration import parse_duration
from windlass.core.job import NewJob
from windlass.wiring import migrate

LASTS = parse_duration(os.environ.get("FAULTS_SOAK", "5m"))
SEED = int(os.environ.get("FAULTS_SEED", str(random.randrange(1 << 32))))
BETWEEN = 4.0  # seconds from one blow to the next, on average
LEASE = 3
MIB = 1 << 20
# A process that grows with what it does: in minutes it may still be warming up.
GROWS = 30 * MIB
LOOKED_AT_EVERY = 5.0
MORE = 1.5
# Processes in which suspects ran are kept for half a minute, and their connections with them.
LINGER = 60.0


class Size(NamedTuple):
    """What the first processes of a node take; others may come, to run suspects in."""

    memory: int
    files: int
    threads: int


class Sight(NamedTuple):
    """What was seen at one moment."""

    at: float  # seconds since the beginning
    memory: int  # bytes that the first processes of the witness take
    connections: int  # that all have


class Nemesis:
    """Strikes at whatever there is, one blow after the other."""

    def __init__(self, site: Site, server: PostgresServer, chance: random.Random) -> None:
        self._site = site
        self._server = server
        self._chance = chance
        self.fleet = [self.node() for _ in range(2)]
        self.blows: Counter[str] = Counter()

    def node(self) -> Node:
        """Another node."""
        return self._site.node(slots=8, lease=f"{LEASE}s")

    async def rage(self, lasts: timedelta) -> None:
        """Strike for so long."""
        ends = time.monotonic() + lasts.total_seconds()
        blows = (self.kill_worker, self.kill_worker, self.kill_node, self.freeze, self.roll)
        while time.monotonic() < ends:
            await asyncio.sleep(self._chance.expovariate(1 / BETWEEN))
            blow = self._chance.choice([*blows, self.crash_database, self.hang_up])
            self.blows[blow.__name__] += 1
            await blow(self._chance.choice(self.fleet))

    async def kill_worker(self, node: Node) -> None:
        """One of its workers."""
        for worker in self._chance.sample(node.working(), min(1, len(node.working()))):
            with suppress(psutil.NoSuchProcess):
                worker.kill()

    async def kill_node(self, node: Node) -> None:
        """All of it, and another comes."""
        node.kill()
        self._replace(node)

    async def freeze(self, node: Node) -> None:
        """Shorter or longer than its lease."""
        node.freeze(self._site.books)
        await asyncio.sleep(self._chance.uniform(0.3, 3) * LEASE)
        node.thaw()

    async def roll(self, node: Node) -> None:
        """Ask it to stop, once another one is there."""
        self._replace(node)
        node.signal(signal.SIGTERM)
        await node.ended()

    async def crash_database(self, _: Node) -> None:
        """For a moment."""
        await asyncio.to_thread(self._server.stop, "immediate")
        await asyncio.sleep(self._chance.uniform(0, 2))
        await asyncio.to_thread(self._server.start)

    async def hang_up(self, _: Node) -> None:
        """On some of those who are connected."""
        with psycopg.connect(self._server.url, autocommit=True) as connection:
            connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where application_name = 'windlass' and random() < 0.5"
            )

    def _replace(self, node: Node) -> None:
        self.fleet[self.fleet.index(node)] = self.node()


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A PostgreSQL that the test may stop."""
    with PostgresServer() as server:
        yield server


@pytest.fixture
async def site(
    tmp_path: Path, server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Site]:
    """A site that depends on it, with a Redis that is harmed all the time."""
    await migrate(server.url)
    with RedisServer() as redis, harmed(redis, *HARMS, pause=5.0):
        monkeypatch.setenv("WINDLASS_REDIS", redis.url)
        async with open_site(tmp_path, server.url) as site:
            yield site


@pytest.mark.timeout(LASTS.total_seconds() + 300)
async def test_every_promise_holds_whatever_happens_for_however_long(
    site: Site, server: PostgresServer, record_property: Callable[[str, object], None]
) -> None:
    chance = random.Random(SEED)
    witness = site.node(slots=8, lease=f"{LEASE}s")  # the only one that nobody strikes at
    nemesis = Nemesis(site, server, chance)
    for node in [witness, *nemesis.fleet]:
        await node.ready()

    async with feeding(site, jobs_of(site, chance)):
        await until(lambda: len(site.ledger) > 500, at_most=60)
        theirs = [psutil.Process(witness.pid), *witness.working()]
        first = size(theirs)
        watching = asyncio.create_task(watched(theirs, server.url))
        await nemesis.rage(LASTS)
    await site.all_finished(stalled=60)
    watching.cancel()
    seen, last = await watching, size(theirs)
    usual = median(one.connections for one in seen[: len(seen) // 4])
    left = await settled(server.url, MORE * usual)

    record_property("seed", SEED)
    record_property("lasted", str(LASTS))
    record_property("blows", dict(nemesis.blows))
    for name, figure in site.account()._asdict().items():
        record_property(name, figure)
    grown = last.memory - first.memory
    record_property("memory of a node grew by", f"{grown / MIB:.1f} MiB")
    record_property("in its second half by", f"{slope(seen) / MIB:.1f} MiB an hour")
    record_property("files, threads before", (first.files, first.threads))
    record_property("files, threads after", (last.files, last.threads))
    record_property("connections in its first quarter, and in the end", (usual, left))
    assert site.audit() == Audit()
    assert site.books.charges() == []
    assert grown <= GROWS
    assert last.files <= MORE * first.files
    assert last.threads <= MORE * first.threads
    assert left <= MORE * usual


def jobs_of(site: Site, chance: random.Random) -> Callable[[int], NewJob]:
    """Effects of 5 to 100 ms, by coroutines and by threads."""
    kinds = (site.works.effect, site.works.effect, site.works.plain_effect)
    return lambda number: chance.choice(kinds).job(number, chance.uniform(0.005, 0.1))


def size(processes: list[psutil.Process]) -> Size:
    """What they take now."""
    return Size(
        memory=sum(one.memory_info().rss for one in processes),
        files=sum(one.num_fds() for one in processes),
        threads=sum(one.num_threads() for one in processes),
    )


async def watched(processes: list[psutil.Process], url: str) -> list[Sight]:
    """What there is, again and again, until cancelled; nothing while the database is away."""
    began, seen = time.monotonic(), []
    with suppress(asyncio.CancelledError):
        while True:
            await asyncio.sleep(LOOKED_AT_EVERY)
            with suppress(psycopg.OperationalError):
                connected = await asyncio.to_thread(connections, url)
                now = time.monotonic() - began
                seen.append(Sight(now, size(processes).memory, connected))
    return seen


def slope(seen: list[Sight]) -> float:
    """Bytes an hour, once all is warm: by the second half of what was seen."""
    warm = seen[len(seen) // 2 :]
    return 3600 * linear_regression([one.at for one in warm], [one.memory for one in warm]).slope


async def settled(url: str, most: float) -> int:
    """How many connections are left once those who ran suspects have gone, or have not."""
    with suppress(AssertionError):
        await until(lambda: connections(url) <= most, at_most=LINGER, every=1.0)
    return connections(url)


def connections(url: str) -> int:
    """How many the fleet has."""
    asked = "select count(*) from pg_stat_activity where application_name = 'windlass'"
    with psycopg.connect(url) as connection:
        [count] = connection.execute(asked).fetchone() or [0]
    return int(count)
