"""Several processes serve one store: one looks for all, and each does without the others."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from os import kill

import msgspec
import pytest

from tests.http.test_live import World, parsed
from tests.recorder import Recorder
from tests.services.redis import RedisServer
from tests.waiting import until
from windlass.bell.hail import Hail, Hear
from windlass.bell.redis_hail import RedisHail
from windlass.clock import SystemChance, SystemClock
from windlass.core.job import JobId, State
from windlass.core.redis_url import parse_redis_url
from windlass.http.drain import Drain
from windlass.http.live import Live, Rhythm, Sources
from windlass.http.neighbours import SUBJECT, Counted, Neighbours, Told
from windlass.redis.link import Link
from windlass.store.records import Counts
from windlass.store.totals import Glance

LOOK = 0.05


class Air:
    """Carries what is said to everybody who hears, until it is still."""

    up = True
    lost = None

    def __init__(self) -> None:
        self._hearers: list[Hear] = []
        self.still = False

    async def say(self, subject: str, said: bytes) -> int:  # noqa: ARG002
        """Say it to all."""
        for hear in [] if self.still else list(self._hearers):
            hear(said)
        return len(self._hearers)

    @contextmanager
    def hearing(self, subject: str, hear: Hear) -> Iterator[None]:  # noqa: ARG002
        """Be one of them."""
        self._hearers.append(hear)
        try:
            yield
        finally:
            self._hearers.remove(hear)

    async def close(self) -> None:
        """Hold nothing."""


class Process:
    """A hub of its own over a store that all share, and one who listens to it."""

    def __init__(self, world: World, hail: Hail, watched: list[JobId]) -> None:
        self.looks = self.counts = 0
        self.world = world
        self.news: list[tuple[str, JobId, str]] = []
        self._watched = watched
        self._drain = Drain()

        async def of() -> Hail:
            return hail

        sources = Sources(
            glance=self.glance,
            find=world.find,
            count=self.count,
            board=world.board,
            newest=world.newest,
            hail=of,
        )
        rhythm = Rhythm(look=LOOK, count=2 * LOOK)
        self.live = Live(
            sources, clock=SystemClock(), chance=SystemChance(), observer=Recorder(), rhythm=rhythm
        )

    async def glance(self, ids: Sequence[JobId]) -> list[Glance]:
        """As the store, and counted."""
        self.looks += 1
        return await self.world.glance(ids)

    async def count(self) -> Counts:
        """As the store, and counted."""
        self.counts += 1
        return await self.world.count()

    async def run(self) -> None:
        """Serve, and listen to it."""
        await asyncio.gather(self.live.run(self._drain), self._listen())

    async def _listen(self) -> None:
        async for chunk in self.live.listen(self._watched):
            for name, data in parsed(chunk):
                if name in ("job", "gone"):
                    self.news.append((name, data["id"], data.get("status", "")))

    def last(self, job: JobId) -> str:
        """What was told of a job last."""
        return [status for _, one, status in self.news if one == job][-1]


@asynccontextmanager
async def running(*processes: Process) -> AsyncIterator[None]:
    """Let them run, and have each told how things stand."""
    tasks = [asyncio.create_task(process.run()) for process in processes]
    try:
        await until(lambda: all(process.news for process in processes))
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def looks_of(processes: list[Process], looks: int = 20) -> list[int]:
    """How often each looks while all of them look so often, or one for all."""
    before = [process.looks for process in processes]
    await asyncio.sleep(looks * LOOK)
    return [process.looks - old for process, old in zip(processes, before, strict=True)]


async def test_one_looks_for_all_and_all_are_told() -> None:
    world, air = World(3), Air()
    processes = [Process(world, air, [job]) for job in world.ids]

    async with running(*processes):
        await asyncio.sleep(4 * LOOK)
        looks = await looks_of(processes)
        for job in world.ids:
            world.change(job, state=State.RUNNING)
        await until(
            lambda: all(
                one.last(job) == "running" for one, job in zip(processes, world.ids, strict=True)
            )
        )

    # Three by themselves would have looked sixty times; a slow machine takes turns unpunctually.
    assert sum(looks) < 40


async def test_who_hears_nobody_any_more_looks_for_itself() -> None:
    world, air = World(2), Air()
    processes = [Process(world, air, [job]) for job in world.ids]

    async with running(*processes):
        await asyncio.sleep(4 * LOOK)
        air.still = True
        for job in world.ids:
            world.change(job, state=State.COMPLETED)
        await until(
            lambda: all(
                one.last(job) == "completed" for one, job in zip(processes, world.ids, strict=True)
            )
        )


async def test_a_neighbour_that_stops_is_not_waited_for() -> None:
    world, air = World(2), Air()
    here, there = (Process(world, air, [job]) for job in world.ids)

    async with running(here):
        async with running(there):
            await asyncio.sleep(4 * LOOK)
        world.change(world.ids[0], state=State.COMPLETED)
        await until(lambda: here.last(world.ids[0]) == "completed")


async def test_a_job_that_was_read_as_it_was_before_is_told_again() -> None:
    world = World(1)
    [job] = world.ids
    process = Process(world, Air(), [job])
    old = world.jobs[job]
    async with running(process):
        world.change(job, state=State.COMPLETED)
        new, world.jobs[job] = world.jobs[job], old
        glances = [
            glance._replace(state=new.state, fence=new.fence)
            for glance in await world.glance([job])
        ]
        await process.live._compare({job: glances[0]})
        world.jobs[job] = new

        await until(lambda: process.last(job) == "completed")


async def test_word_of_a_neighbour_that_cannot_be_heeded_is_not_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world, air = World(1), Air()
    process = Process(world, air, world.ids)
    heeded: list[Told] = []

    async def learn(told: Told) -> None:
        heeded.append(told)
        raise RuntimeError("something that nobody foresaw")

    monkeypatch.setattr(process.live, "_learn", learn)
    counted = await world.count()
    word = msgspec.msgpack.encode(Counted("another", dict(counted.states), counted.counted_at))
    async with running(process):
        await air.say(SUBJECT, word)
        await until(lambda: len(heeded) == 1)

        await air.say(SUBJECT, word)

        await until(lambda: len(heeded) == 2, at_most=20)


@pytest.mark.parametrize(
    "said", [b"", b"\xff", b"news", b"\x83\xa4type\xa8watching\xa3who\xa2\xff\xfe\xa3ids\x90"]
)
def test_what_is_no_word_of_a_neighbour_is_not_heeded(said: bytes) -> None:
    assert Neighbours("here", SystemClock()).heard(said) is None


def link_to(server: RedisServer) -> Link:
    place = parse_redis_url(server.url)
    return Link(place, chance=SystemChance(), observer=Recorder()).hold()


def end(server: RedisServer) -> None:
    """Kill it."""
    server.end_with(signal.SIGKILL)


def freeze(server: RedisServer) -> None:
    """Let it answer nobody."""
    kill(server.pid, signal.SIGSTOP)


@pytest.mark.parametrize("harm", [end, freeze])
async def test_losing_redis_in_the_middle_costs_nobody_any_news(
    harm: Callable[[RedisServer], None],
) -> None:
    world = World(2)
    with RedisServer() as server:
        links = [link_to(server) for _ in range(2)]
        processes = [
            Process(world, RedisHail(link, "test:"), [job])
            for link, job in zip(links, world.ids, strict=True)
        ]
        async with running(*processes):
            await until(lambda: all(link.up for link in links))
            await asyncio.sleep(4 * LOOK)
            shared = await looks_of(processes)
            pid = server.pid
            harm(server)
            for state in (State.RUNNING, State.COMPLETED):
                for job in world.ids:
                    world.change(job, state=state)
                await until(
                    lambda state=state: all(  # type: ignore[misc]
                        one.last(job) == state
                        for one, job in zip(processes, world.ids, strict=True)
                    )
                )
            if harm is freeze:
                kill(pid, signal.SIGCONT)
        for link in links:
            await link.close()

    assert sum(shared) < 30
