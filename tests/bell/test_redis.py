"""The bell of Redis: tokens for those who wait, and the store's own bell for everybody else."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from os import kill

import pytest

from tests.recorder import Recorder
from tests.services.redis import RedisServer
from tests.waiting import until
from windlass.bell.base import ASKED, EVERY, LATER, WIDE, Ear
from windlass.bell.local import LocalBell
from windlass.bell.redis import RedisBell
from windlass.bell.redis_tokens import RedisTokens
from windlass.bell.tokens import HasRoom, Kind
from windlass.clock import SystemChance, SystemClock
from windlass.core.redis_url import parse_redis_url
from windlass.redis.link import Link

ALL = Kind("all")
MAIL = Kind("mail", ["mail", "letters"])


class Place:
    """One Redis and one store with its own bell, which every process hears."""

    def __init__(self, url: str) -> None:
        self.place = parse_redis_url(url)
        self.told = Recorder()
        self.own = LocalBell(None, clock=SystemClock(), chance=SystemChance(), observer=self.told)

    def bell(self) -> RedisBell:
        """The bell of another process."""
        return RedisBell(self._link(), self.own, prefix="t:", observer=self.told)

    def tokens(self) -> RedisTokens:
        """Where a worker of another process waits."""
        return RedisTokens(self._link(), "t:", SystemChance())

    def _link(self) -> Link:
        return Link(self.place, chance=SystemChance(), observer=self.told, deadline=1).hold()

    async def call(self, *command: str) -> object:
        """Ask Redis something."""
        link = Link(self.place, chance=SystemChance(), observer=self.told, deadline=5).hold()
        try:
            return await link.call(*command)
        finally:
            await link.close()


class Listener:
    """A node and its worker: counts what wakes them."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.wakes = 0
        self.has_room: HasRoom = lambda _: None

    def hear(self, words: Sequence[str]) -> None:
        """Count."""
        if words != [EVERY]:  # which everybody hears who begins to wait
            self.wakes += 1
        self.heard += words

    async def run(self, ear: Ear) -> None:
        """Hear until cancelled."""
        while True:
            self.hear(await ear.wait())


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture
def place(server: RedisServer) -> Place:
    return Place(server.url)


@pytest.fixture
async def bell(place: Place) -> AsyncIterator[RedisBell]:
    bell = place.bell()
    yield bell
    await bell.close()


@asynccontextmanager
async def listening(
    place: Place, nodes: int, kind: Kind = ALL
) -> AsyncIterator[Sequence[Listener]]:
    """So many nodes of one worker that waits already."""
    async with AsyncExitStack() as stack:
        listeners = [await listener(stack, place, kind) for _ in range(nodes)]
        await until(lambda: blocked(place, nodes))
        yield listeners


async def listener(stack: AsyncExitStack, place: Place, kind: Kind) -> Listener:
    """One that has room."""
    one = Listener()
    bell, tokens = place.bell(), place.tokens()
    stack.push_async_callback(bell.close)
    stack.push_async_callback(tokens.close)
    ear = await stack.enter_async_context(bell.listen())
    stack.push_async_callback(ended, asyncio.create_task(one.run(ear)))
    one.has_room = await stack.enter_async_context(tokens.taking(kind, one.hear))
    one.has_room(True)  # noqa: FBT003
    return one


async def ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


async def blocked(place: Place, nodes: int) -> bool:
    """Whether so many wait for a token."""
    info = await place.call("INFO", "clients")
    assert isinstance(info, bytes)
    return f"blocked_clients:{nodes}".encode() in info


def wakes(listeners: Sequence[Listener]) -> int:
    return sum(listener.wakes for listener in listeners)


async def test_one_job_wakes_one_of_eight(place: Place, bell: RedisBell) -> None:
    async with listening(place, 8) as listeners:
        for number in range(1, 17):
            await bell.ring(["mail"])
            await until(lambda: wakes(listeners) == number)  # noqa: B023
        await until(lambda: blocked(place, 8))

        assert [listener.wakes for listener in listeners] == [2] * 8


async def test_a_batch_wakes_as_many_as_it_has_jobs(place: Place, bell: RedisBell) -> None:
    async with listening(place, 8) as listeners:
        await bell.ring(["mail", WIDE], jobs=3)
        await until(lambda: wakes(listeners) == 3)
        await until(lambda: blocked(place, 8))

        assert max(listener.wakes for listener in listeners) == 1
        assert {word for each in listeners for word in each.heard} == {EVERY, "mail", WIDE}


async def test_a_huge_batch_wakes_everybody_once_and_leaves_nothing(
    place: Place, bell: RedisBell
) -> None:
    async with listening(place, 4) as listeners:
        await bell.ring(["mail"], jobs=1_000_000)
        await until(lambda: wakes(listeners) == 4)
        await until(lambda: blocked(place, 4))

        assert await place.call("LLEN", "t:tokens:all") == 0


async def test_a_queue_wakes_those_who_serve_it_one_of_each_kind(
    place: Place, bell: RedisBell
) -> None:
    async with listening(place, 2) as every, AsyncExitStack() as stack:
        mail = await listener(stack, place, MAIL)
        await until(lambda: blocked(place, 3))

        await bell.ring(["reports"])
        await until(lambda: wakes(every) == 1)
        await bell.ring(["letters"])
        await until(lambda: wakes(every) == 2)

        await until(lambda: mail.wakes == 1)
        assert set(mail.heard) == {EVERY, "letters"}


async def test_a_word_for_all_is_heard_by_all(place: Place, bell: RedisBell) -> None:
    async with listening(place, 3) as listeners:
        await bell.ring([ASKED])
        await bell.ring([LATER, "mail"])

        await until(lambda: all({ASKED, LATER} <= set(each.heard) for each in listeners))
        assert sum("mail" in each.heard for each in listeners) == 1


async def test_without_anybody_waiting_the_stores_own_bell_rings(
    place: Place, bell: RedisBell
) -> None:
    async with place.own.listen() as ear:
        await bell.ring(["mail", ASKED])

        assert set(await ear.wait()) == {"mail", ASKED}
    assert await place.call("KEYS", "*") == []


async def test_who_has_no_room_takes_no_token(place: Place, bell: RedisBell) -> None:
    async with listening(place, 1) as [busy]:
        busy.has_room(False)  # noqa: FBT003
        await until(lambda: blocked(place, 0))

        await bell.ring(["mail"])
        await until(lambda: place.call("LLEN", "t:tokens:all"))
        assert busy.wakes == 0

        busy.has_room(True)  # noqa: FBT003
        await until(lambda: busy.wakes == 1)


async def test_a_token_that_comes_when_the_room_is_gone_is_left_to_others(
    place: Place, bell: RedisBell
) -> None:
    async with listening(place, 1) as [busy]:
        busy.has_room(False)  # noqa: FBT003 — while it waits for a token already
        await bell.ring(["mail"])
        await until(lambda: place.call("LLEN", "t:tokens:all"))

        async with listening(place, 1) as [free]:
            await until(lambda: free.wakes == 1)
        assert busy.wakes == 0


async def test_everything_that_is_kept_ends_by_itself(place: Place, bell: RedisBell) -> None:
    async with listening(place, 1) as [busy]:
        busy.has_room(False)  # noqa: FBT003
        await bell.ring(["mail"])
        await until(lambda: place.call("LLEN", "t:tokens:all"))

    await until(lambda: forgotten(place))


async def forgotten(place: Place) -> bool:
    return await place.call("KEYS", "*") == []


async def test_when_redis_is_emptied_those_who_wait_look_and_wait_again(
    place: Place, bell: RedisBell
) -> None:
    async with listening(place, 2) as listeners:
        await until(lambda: all(each.heard for each in listeners))
        for each in listeners:
            each.heard.clear()

        await place.call("FLUSHDB")
        await bell.ring(["mail"])  # nobody waits as far as Redis knows, so the other bell rings

        await until(lambda: all("mail" in each.heard for each in listeners))
        await until(lambda: all(EVERY in each.heard for each in listeners))
        await bell.ring(["mail"])
        await until(lambda: wakes(listeners) == 3)


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP])
async def test_when_redis_is_gone_the_stores_own_bell_rings_until_it_is_back(
    place: Place, bell: RedisBell, server: RedisServer, sent: signal.Signals
) -> None:
    async with listening(place, 2) as listeners:
        await bell.ring(["mail"])
        await until(lambda: wakes(listeners) == 1)

        if sent is signal.SIGKILL:
            server.end_with(sent)
        else:
            kill(server.pid, sent)
        await bell.ring(["lost"])
        await until(lambda: all("lost" in each.heard for each in listeners))

        if sent is signal.SIGKILL:
            server.start()
        else:
            kill(server.pid, signal.SIGCONT)
        await until(lambda: blocked(place, 2))
        before = wakes(listeners)
        await bell._link.wait()
        await bell.ring(["found"])
        await until(lambda: wakes(listeners) == before + 1)


async def test_a_redis_that_is_full_changes_nothing(place: Place, bell: RedisBell) -> None:
    async with listening(place, 2) as listeners:
        await place.call("CONFIG", "SET", "maxmemory", "1")
        await bell.ring(["mail"])

        await until(lambda: all("mail" in each.heard for each in listeners))
