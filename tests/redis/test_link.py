"""The link to Redis, on a real server that is killed, frozen, emptied and started again."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from os import kill
from pathlib import Path

import pytest
import uvloop

from tests.recorder import Recorder
from tests.services.calls import Calls
from tests.services.certificates import Authority, authority
from tests.services.redis import RedisServer
from tests.waiting import until
from windlass.clock import SystemChance
from windlass.core.redis_url import RedisPlace, parse_redis_url
from windlass.observe.events import RedisFound, RedisLost, RedisRefused
from windlass.redis.link import Link
from windlass.redis.script import Script
from windlass.redis.wire import RedisAway, RedisRefusal

ECHO = Script("return {KEYS[1], ARGV[1]}")
# What a call may take when the machine is as busy as one that runs many tests at once: more than
# the deadline, and much less than one deadline after the other.
DEADLINE, AT_MOST = 0.4, 2.0


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
async def link(server: RedisServer, recorder: Recorder) -> AsyncIterator[Link]:
    """A link to a server of the test's own."""
    link = link_to(server.url, recorder, DEADLINE)
    yield link
    await link.close()


@pytest.fixture
async def shared(redis_url: str, recorder: Recorder) -> AsyncIterator[Link]:
    """A link to the server that all tests share."""
    link = link_to(redis_url, recorder)
    yield link
    await link.close()


def link_to(url: str, recorder: Recorder, deadline: float = 1.0) -> Link:
    place = parse_redis_url(url)
    return Link(place, chance=SystemChance(), observer=recorder, deadline=deadline).hold()


async def seconds(link: Link) -> float:
    """How long a call keeps its caller, answered or not."""
    began = asyncio.get_running_loop().time()
    with suppress(RedisAway):
        await link.call("PING")
    return asyncio.get_running_loop().time() - began


def test_calls_whose_deadline_is_at_once_are_watched_on_the_loop_of_workers_too(
    redis_url: str, recorder: Recorder
) -> None:
    async def many() -> object:
        link = link_to(redis_url, recorder)
        await link.call("PING")
        link._deadline = 0.0004
        try:
            return await link.calls([("PING",)] * 10)
        except RedisAway:
            return None  # it was not there so soon
        finally:
            await link.close()

    answers = [uvloop.run(many()) for _ in range(5)]

    assert all(answer in (None, [b"PONG"] * 10) for answer in answers)


async def test_the_first_call_connects(shared: Link) -> None:
    assert not shared.up

    assert await shared.call("SET", "a", 1) == b"OK"
    assert await shared.call("GET", "a") == b"1"
    assert shared.up


async def test_calls_at_once_share_the_connection_and_get_their_own_answers(shared: Link) -> None:
    echoes = [shared.call("ECHO", str(number)) for number in range(500)]

    assert await asyncio.gather(*echoes) == [str(number).encode() for number in range(500)]
    assert (await shared.call("CLIENT", "LIST")).count(b"name=windlass") >= 1


async def test_what_was_told_is_heeded_before_what_is_called_later(shared: Link) -> None:
    unheard: list[str] = []
    for number in range(100):
        await shared.tell("SET", "told", number, unheard=lambda: unheard.append("set"))

        assert await shared.call("GET", "told") == str(number).encode()
    await shared.tell("INCR", "told", "more", unheard=lambda: unheard.append("refused"))
    await shared.call("PING")

    assert unheard == ["refused"]


async def test_who_tells_a_frozen_redis_waits_for_nothing_and_learns_that_it_was_not_heard(
    link: Link, server: RedisServer
) -> None:
    unheard = asyncio.Event()
    await link.call("PING")
    kill(server.pid, signal.SIGSTOP)
    began = time.monotonic()

    await link.tell("DEL", "a", unheard=unheard.set)

    assert not unheard.is_set()  # that takes a deadline, which nobody waited for
    assert time.monotonic() - began < AT_MOST
    await asyncio.wait_for(unheard.wait(), 20)
    kill(server.pid, signal.SIGCONT)


async def test_a_caller_who_went_away_takes_nobodys_answer(shared: Link) -> None:
    await shared.call("PING")

    gone = asyncio.create_task(shared.call("ECHO", "one"))
    await asyncio.sleep(0)
    gone.cancel()

    assert await shared.call("ECHO", "two") == b"two"


async def test_many_commands_are_answered_in_order(shared: Link) -> None:
    assert await shared.calls([("SET", "a", 1), ("INCR", "a"), ("GET", "a")]) == [b"OK", 2, b"2"]


async def test_a_script_is_sent_once_and_again_when_redis_forgot_it(
    shared: Link, recorder: Recorder
) -> None:
    assert await shared.run(ECHO, ["k"], ["v"]) == [b"k", b"v"]
    await shared.call("SCRIPT", "FLUSH")

    assert await shared.run(ECHO, ["k"], ["v"]) == [b"k", b"v"]
    assert recorder.of(RedisRefused) == []


async def test_a_refusal_is_told_and_costs_nobody_the_link(
    shared: Link, recorder: Recorder
) -> None:
    await shared.call("SET", "a", "text")

    with pytest.raises(RedisRefusal, match="not an integer"):
        await shared.call("INCR", "a")

    assert await shared.call("GET", "a") == b"text"
    assert recorder.of(RedisLost) == []
    assert len(recorder.of(RedisRefused)) == 1


async def test_what_is_published_is_heard(shared: Link, redis_url: str) -> None:
    heard: list[bytes | None] = []
    other = link_to(redis_url, Recorder())

    with shared.hearing("news", heard.append):
        await until(lambda: None in heard)  # from here on nothing is missed
        await other.call("PUBLISH", "news", "hello")
        await until(lambda: b"hello" in heard)
    await other.close()

    assert await shared.call("PUBLISH", "news", "to nobody") == 0


async def test_a_line_waits_while_calls_go_on(shared: Link) -> None:
    await shared.call("PING")

    async with shared.line() as line:
        popped = asyncio.create_task(line.call("BLPOP", "list", 5, within=6))
        await until(lambda: shared.call("CLIENT", "LIST"))
        await shared.call("RPUSH", "list", "token")

        assert await popped == [b"list", b"token"]


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0", "redis://no..name.of.a.host"])
async def test_without_a_server_calls_cost_nothing(recorder: Recorder, url: str) -> None:
    link = link_to(url, recorder)

    with pytest.raises(RedisAway):
        await link.call("PING")
    await until(lambda: recorder.of(RedisLost))
    began = asyncio.get_running_loop().time()
    for _ in range(1_000):
        with suppress(RedisAway):
            await link.call("PING")

    assert asyncio.get_running_loop().time() - began < AT_MOST
    assert len(recorder.of(RedisLost)) == 1
    await link.close()


async def test_a_killed_server_is_told_once_and_found_again(
    link: Link, server: RedisServer, recorder: Recorder
) -> None:
    await link.call("PING")

    server.end_with(signal.SIGKILL)
    await until(lambda: not link.up)
    assert await seconds(link) < AT_MOST
    await until(lambda: recorder.of(RedisLost))
    server.start()
    await link.wait()

    assert await link.call("PING") == b"PONG"
    assert len(recorder.of(RedisLost)) == len(recorder.of(RedisFound)) == 1


async def test_a_frozen_server_costs_one_deadline_and_then_nothing(
    link: Link, server: RedisServer, recorder: Recorder
) -> None:
    await link.call("PING")

    kill(server.pid, signal.SIGSTOP)
    first = await asyncio.gather(*(seconds(link) for _ in range(20)))
    later = [await seconds(link) for _ in range(20)]
    kill(server.pid, signal.SIGCONT)
    await link.wait()

    assert max(first) < AT_MOST
    assert sum(later) < AT_MOST  # a deadline for each would be eight seconds
    assert await link.call("PING") == b"PONG"
    assert len(recorder.of(RedisLost)) == len(recorder.of(RedisFound)) == 1


async def test_a_server_that_is_frozen_from_the_start_costs_one_deadline(
    link: Link, server: RedisServer, recorder: Recorder
) -> None:
    kill(server.pid, signal.SIGSTOP)

    first = await asyncio.gather(*(seconds(link) for _ in range(20)))
    later = [await seconds(link) for _ in range(20)]
    kill(server.pid, signal.SIGCONT)
    await link.wait()

    assert max(first) < AT_MOST
    assert sum(later) < AT_MOST  # as above
    assert await link.call("PING") == b"PONG"


async def test_who_only_listens_notices_a_frozen_server(
    link: Link, server: RedisServer, recorder: Recorder
) -> None:
    heard: list[bytes | None] = []

    with link.hearing("news", heard.append):
        await until(lambda: heard)
        kill(server.pid, signal.SIGSTOP)
        await until(lambda: recorder.of(RedisLost))
        kill(server.pid, signal.SIGCONT)
        await until(lambda: len(heard) == 2)  # told that it may have missed something
        await link.call("PUBLISH", "news", "again")
        await until(lambda: heard[-1] == b"again")


async def test_a_loop_that_was_busy_itself_does_not_blame_redis(
    link: Link, recorder: Recorder
) -> None:
    await link.call("PING")

    answer = asyncio.create_task(link.call("ECHO", "late"))
    await asyncio.sleep(0)
    time.sleep(2 * DEADLINE)  # noqa: ASYNC251 - the whole point

    assert await answer == b"late"
    assert recorder.of(RedisLost) == []


async def test_an_idle_connection_that_the_server_closes_is_no_loss(
    link: Link, recorder: Recorder, server: RedisServer
) -> None:
    await link.call("PING")
    other = link_to(server.url, Recorder())

    await other.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    await until(lambda: not link.up)

    assert await link.call("PING") == b"PONG"
    assert recorder.of(RedisLost) == []
    await other.close()


async def test_emptying_the_server_costs_nothing_but_what_was_there(link: Link) -> None:
    await link.call("SET", "a", 1)
    await link.call("FLUSHALL")

    assert await link.call("GET", "a") is None


async def test_a_password_is_given_and_a_wrong_one_is_told_without_showing_it(
    link: Link, server: RedisServer, recorder: Recorder
) -> None:
    await link.call("CONFIG", "SET", "requirepass", "hush")
    right = link_to(f"redis://:hush@127.0.0.1:{server.port}/3", Recorder())
    wrong = link_to(f"redis://:guess@127.0.0.1:{server.port}", told := Recorder())

    assert await right.call("PING") == b"PONG"
    with pytest.raises(RedisAway):
        await wrong.call("PING")
    await until(lambda: told.of(RedisLost))

    assert "guess" not in told.of(RedisLost)[0].error
    await right.close()
    await wrong.close()


async def test_who_holds_it_last_hangs_up(redis_url: str, recorder: Recorder) -> None:
    link = link_to(redis_url, recorder)
    link.hold()

    await link.close()
    assert await link.call("PING") == b"PONG"
    await link.close()

    with pytest.raises(RedisAway):
        await link.call("PING")
    assert recorder.events == []


async def test_who_is_cancelled_while_it_closes_hangs_up(
    redis_url: str, recorder: Recorder
) -> None:
    link = link_to(redis_url, recorder)
    with link.hearing("news", lambda _: None):  # for which it has a task that it waits for
        await link.wait()
        closing = asyncio.create_task(link.close())
        await asyncio.sleep(0)

        closing.cancel()
        await asyncio.wait({closing})

    assert closing.cancelled()
    assert not link.up


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("redis://", RedisPlace()),
        ("redis://h", RedisPlace(host="h")),
        ("redis://h:1/2", RedisPlace(host="h", port=1, database=2)),
        ("redis://h?db=2&socket_timeout=1", RedisPlace(host="h", database=2)),
        ("rediss://u:p%40@h", RedisPlace(host="h", user="u", password="p@", tls=True)),  # noqa: S106
        ("rediss://h?ssl_cert_reqs=none", RedisPlace(host="h", tls=True, checked=False)),
        ("unix:///run/r.sock?db=1", RedisPlace(path="/run/r.sock", database=1)),
    ],
)
def test_a_url_names_a_server(url: str, place: RedisPlace) -> None:
    assert parse_redis_url(url) == place


@pytest.fixture
async def encrypted(redis_url: str, tmp_path: Path) -> AsyncIterator[tuple[int, Authority]]:
    """The port of a Redis behind TLS, and who vouches for it."""
    there = authority(tmp_path)
    inside = parse_redis_url(redis_url).port

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, questions = await calls.reach("127.0.0.1", inside)
        await asyncio.gather(pour(reader, questions), pour(answers, writer))

    calls = Calls(relay)
    async with calls.taken(tls=there.vouch("localhost")) as port:
        yield port, there


async def pour(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Pass everything on, to the end."""
    with suppress(OSError):
        while data := await source.read(4096):
            target.write(data)
    target.close()


async def test_a_server_is_reached_by_tls_if_somebody_vouches_for_it(
    encrypted: tuple[int, Authority], recorder: Recorder
) -> None:
    port, there = encrypted
    known = link_to(f"rediss://localhost:{port}?ssl_ca_certs={there.ca}", Recorder())
    unasked = link_to(f"rediss://localhost:{port}?ssl_cert_reqs=none", Recorder())
    stranger = link_to(f"rediss://localhost:{port}", recorder)

    for link in (known, unasked):
        await link.wait()
        assert await link.call("PING") == b"PONG"
    with pytest.raises(RedisAway):
        await stranger.call("PING")
    await until(lambda: recorder.of(RedisLost))

    assert "CERTIFICATE_VERIFY_FAILED" in recorder.of(RedisLost)[0].error
    for link in (known, unasked, stranger):
        await link.close()
