"""The bell of PostgreSQL, on a real server and through a real pooler."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest

from tests.recorder import Recorder
from tests.services import PgBouncerServer, Postgres
from tests.waiting import until
from windlass.bell.base import EVERY, FAR, LATER, NEAR, Ear
from windlass.bell.line import Connection
from windlass.bell.postgres import PostgresBell, channel_of
from windlass.clock import SystemChance
from windlass.observe.events import BellLost, BellRung


@pytest.fixture
def url(postgres: Postgres) -> Iterator[str]:
    url = postgres.create_database()
    yield url
    postgres.drop_database(url)


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
async def bell(url: str, recorder: Recorder) -> AsyncIterator[PostgresBell]:
    bell = bell_at(url, recorder)
    yield bell
    await bell.close()


@pytest.fixture
async def neighbour(url: str) -> AsyncIterator[PostgresBell]:
    """The bell of another process."""
    bell = bell_at(url, Recorder())
    yield bell
    await bell.close()


def bell_at(url: str, recorder: Recorder, schema: str = "public") -> PostgresBell:
    async def connect() -> Connection:
        return await asyncpg.connect(url, statement_cache_size=0)

    return PostgresBell(connect, schema, chance=SystemChance(), observer=recorder)


async def end_other_connections(url: str) -> None:
    """Do what a restart of the server does to those who listen."""
    admin = await asyncpg.connect(url)
    await admin.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where datname = current_database() and pid <> pg_backend_pid()"
    )
    await admin.close()


async def test_a_ring_is_heard_by_a_neighbour(bell: PostgresBell, neighbour: PostgresBell) -> None:
    async with neighbour.listen() as ear:
        assert await ear.wait() == [EVERY]
        await bell.ring(["mail"])

        assert await ear.wait() == ["mail"]


async def test_a_ring_that_a_commit_takes_along_is_heard_too(
    bell: PostgresBell, neighbour: PostgresBell, url: str
) -> None:
    async with neighbour.listen() as ear:
        assert await ear.wait() == [EVERY]
        herald = bell.herald(["mail"])
        assert herald is not None
        connection = await asyncpg.connect(url)

        await connection.execute("select pg_notify($1, $2)", herald.channel, herald.words)

        assert await ear.wait() == ["mail"]
        await connection.close()


async def test_commits_take_no_ring_along_while_others_are_sent(bell: PostgresBell) -> None:
    await bell.ring(["mail"])

    at_once = bell.herald(["mail"])
    await until(lambda: bell._outbox.quiet)
    after_a_pause = bell.herald(["mail"])
    and_again = bell.herald(["mail"])

    assert at_once is None
    assert after_a_pause is not None
    assert and_again is None


async def test_one_connection_rings_and_listens(bell: PostgresBell, url: str) -> None:
    async with bell.listen() as ear:
        await ear.wait()
        await bell.ring(["mail"])
        assert await ear.wait() == ["mail"]

        admin = await asyncpg.connect(url)
        count = "select count(*) from pg_stat_activity where datname = current_database()"

        async def two_are_there() -> bool:
            return bool(await admin.fetchval(count) == 2)

        # The bell's and the one that asks; the one by which it tried whether it hears is gone soon.
        await until(two_are_there)
        await admin.close()


async def test_who_stops_listening_before_it_is_heard_leaves_no_connection_behind(url: str) -> None:
    made: list[Connection] = []
    both_are_there = asyncio.Event()

    async def connect() -> Connection:
        made.append(await asyncpg.connect(url, statement_cache_size=0))
        if len(made) == 2:
            both_are_there.set()
        return made[-1]

    bell = PostgresBell(connect, "public", chance=SystemChance(), observer=Recorder())

    async with bell.listen():
        await both_are_there.wait()
    await bell.close()

    assert [connection.is_closed() for connection in made] == [True, True]


async def test_many_rings_at_once_are_sent_together(bell: PostgresBell, recorder: Recorder) -> None:
    async with bell.listen() as ear:
        await ear.wait()
        for number in range(1_000):
            await bell.ring([f"queue-{number % 5}"])
        await bell._outbox.flush()

        heard = await ear.wait()
        await until(lambda: recorder.of(BellRung))

    assert set(heard) == {f"queue-{number}" for number in range(5)}
    assert len(recorder.of(BellRung)) <= 2


async def test_a_queue_whose_name_needs_quoting_rings_for_all(
    bell: PostgresBell, neighbour: PostgresBell
) -> None:
    async with neighbour.listen() as ear:
        await ear.wait()
        await bell.ring(["it's"])

        assert await ear.wait() == [EVERY]


async def test_names_too_long_to_send_ring_for_all(
    bell: PostgresBell, neighbour: PostgresBell
) -> None:
    async with neighbour.listen() as ear:
        await ear.wait()
        await bell.ring([letter * 1_200 for letter in "abcdefgh"])

        assert await ear.wait() == [EVERY]


async def test_names_in_any_alphabet_are_heard_as_they_are(
    bell: PostgresBell, neighbour: PostgresBell
) -> None:
    async with neighbour.listen() as ear:
        await ear.wait()
        await bell.ring(["почта", LATER])

        assert await ear.wait() == ["почта", LATER]


async def test_after_a_lost_connection_everything_rings_once_and_hearing_goes_on(
    bell: PostgresBell, neighbour: PostgresBell, url: str
) -> None:
    async with neighbour.listen() as ear:
        await ear.wait()
        await end_other_connections(url)

        assert await asyncio.wait_for(ear.wait(), 30) == [EVERY]
        await bell.ring(["mail"])
        assert await asyncio.wait_for(ear.wait(), 30) == ["mail"]


async def test_ringing_goes_on_after_a_lost_connection(
    bell: PostgresBell, neighbour: PostgresBell, url: str
) -> None:
    await bell.ring(["mail"])
    await bell._outbox.flush()
    await end_other_connections(url)

    async with neighbour.listen() as ear:
        await ear.wait()
        await bell.ring(["mail"])

        assert await asyncio.wait_for(ear.wait(), 30) == ["mail"]


async def test_ringing_goes_on_after_a_session_ended_while_the_driver_used_it(
    bell: PostgresBell,
    neighbour: PostgresBell,
    recorder: Recorder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    execute = asyncpg.Connection.execute

    async def wedged(connection: Connection, statement: str) -> str:
        if "mail" in statement:
            raise asyncpg.InternalClientError("another operation (2) is in progress")
        return await execute(connection, statement)

    async with neighbour.listen() as ear:
        await ear.wait()
        with monkeypatch.context() as patch:
            patch.setattr(asyncpg.Connection, "execute", wedged)
            await bell.ring(["mail"])
            await until(lambda: recorder.of(BellLost))
        await bell.ring(["reports"])

        assert await asyncio.wait_for(ear.wait(), 30) == ["reports"]


async def test_ringing_without_a_server_raises_nothing(recorder: Recorder) -> None:
    bell = bell_at("postgresql://postgres@127.0.0.1:1/postgres", recorder)

    await bell.ring(["mail"])
    await bell.close()

    assert recorder.of(BellLost)


async def test_closing_sends_what_was_rung(url: str, neighbour: PostgresBell) -> None:
    bell = bell_at(url, Recorder())

    async with neighbour.listen() as ear:
        await ear.wait()
        await bell.ring(["mail"])
        await bell.close()

        assert await ear.wait() == ["mail"]


async def test_schemas_do_not_hear_each_other(url: str, bell: PostgresBell) -> None:
    elsewhere = bell_at(url, Recorder(), schema="elsewhere")

    async with bell.listen() as ear:
        await ear.wait()
        await elsewhere.ring(["theirs"])
        await elsewhere.close()
        await bell.ring(["ours"])

        assert await ear.wait() == ["ours"]


def test_a_schema_with_an_odd_name_gets_a_channel_that_fits() -> None:
    assert channel_of("public") == "windlass_public"
    assert channel_of('My "Schema"').startswith("windlass_")
    assert len(channel_of("x" * 63)) <= 63


async def test_behind_a_pooler_ringing_works_and_listening_says_that_it_is_deaf(
    url: str, neighbour: PostgresBell, recorder: Recorder
) -> None:
    with PgBouncerServer(url) as pooler:
        pooled = bell_at(pooler.url, recorder)
        async with neighbour.listen() as ear, pooled.listen():
            await ear.wait()
            await pooled.ring(["mail"])
            heard = await asyncio.wait_for(ear.wait(), 30)
            await until(lambda: recorder.of(BellLost), at_most=30)
        await pooled.close()

    assert heard == ["mail"]
    assert "pooler" in recorder.of(BellLost)[0].error


async def test_what_is_for_one_alone_is_heard_by_that_one(
    bell: PostgresBell, neighbour: PostgresBell, url: str
) -> None:
    connection = await asyncpg.connect(url)
    async with bell.listen() as other, neighbour.listen("ada") as ear:
        assert await other.wait() == [EVERY]
        await heard(ear, NEAR)

        await connection.execute("select pg_notify('windlass_ada', '@handed with a space')")
        alone = await ear.wait()
        await bell.ring(["mail"])
        together = await ear.wait(), await other.wait()

        assert alone == ["@handed with a space"]
        assert together == (["mail"], ["mail"])
    await connection.close()


async def test_who_listens_by_name_is_told_when_it_may_have_missed_something(
    bell: PostgresBell, url: str
) -> None:
    async with bell.listen("ada") as ear:
        await heard(ear, NEAR)

        await end_other_connections(url)

        await heard(ear, FAR)
        await heard(ear, NEAR)


async def heard(ear: Ear, word: str) -> None:
    """Wait for a word."""
    async with asyncio.timeout(30):
        while word not in await ear.wait():
            continue
