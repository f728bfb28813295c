"""Jobs that come with the caller's commit, through every library the caller may use."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import aiosqlite
import asyncpg
import psycopg
import pytest
import sqlalchemy
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session

from tests.waiting import until
from windlass import Context, State, Windlass
from windlass.core.errors import BadInput, KeyTaken
from windlass.core.job import NewJob


async def welcome(user: str) -> str:
    """Greet somebody."""
    return user


class Way:
    """One library's connection, and how to end a transaction on it."""

    def __init__(self, connection: Any, end: Callable[[str], Any]) -> None:
        self.connection = connection
        self._end = end

    async def commit(self) -> None:
        """Keep what was done."""
        await self._said("commit")

    async def rollback(self) -> None:
        """Undo what was done."""
        await self._said("rollback")

    async def _said(self, word: str) -> None:
        answer = self._end(word)
        if isinstance(answer, Awaitable):
            await answer


@asynccontextmanager
async def by_asyncpg(url: str) -> AsyncIterator[Way]:
    """asyncpg, whose transactions are begun by hand."""
    connection = await asyncpg.connect(url)
    await connection.execute("begin")
    try:
        yield Way(connection, connection.execute)
    finally:
        await connection.close()


@asynccontextmanager
async def by_asyncpg_with_codecs(url: str) -> AsyncIterator[Way]:
    """The same with the codec that many programs set, in a transaction block of a pool."""

    async def prepare(connection: Any) -> None:
        for name in ("json", "jsonb"):
            await connection.set_type_codec(
                name, encoder=json.dumps, decoder=json.loads, schema="pg_catalog"
            )

    pool = asyncpg.create_pool(url, min_size=1, max_size=1, init=prepare)
    async with pool, pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        yield Way(connection, lambda word: getattr(transaction, word)())


@asynccontextmanager
async def by_psycopg(url: str) -> AsyncIterator[Way]:
    """psycopg, with rows of the owner's kind."""
    with psycopg.connect(url, row_factory=psycopg.rows.namedtuple_row) as connection:
        yield Way(connection, lambda word: getattr(connection, word)())


@asynccontextmanager
async def by_async_psycopg(url: str) -> AsyncIterator[Way]:
    """The same on the loop."""
    async with await psycopg.AsyncConnection.connect(url) as connection:
        yield Way(connection, lambda word: getattr(connection, word)())


@asynccontextmanager
async def by_sqlalchemy(url: str) -> AsyncIterator[Way]:
    """SQLAlchemy's connection."""
    engine = sqlalchemy.create_engine(_sqlalchemy(url, "psycopg", "pysqlite"))
    with engine.connect() as connection:
        yield Way(connection, lambda word: getattr(connection, word)())
    engine.dispose()


@asynccontextmanager
async def by_sqlalchemy_session(url: str) -> AsyncIterator[Way]:
    """SQLAlchemy's session."""
    engine = sqlalchemy.create_engine(_sqlalchemy(url, "psycopg", "pysqlite"))
    with Session(engine) as session:
        yield Way(session, lambda word: getattr(session, word)())
    engine.dispose()


@asynccontextmanager
async def by_async_sqlalchemy(url: str) -> AsyncIterator[Way]:
    """SQLAlchemy's connection on the loop."""
    engine = create_async_engine(_sqlalchemy(url, "asyncpg", "aiosqlite"))
    async with engine.connect() as connection:
        yield Way(connection, lambda word: getattr(connection, word)())
    await engine.dispose()


@asynccontextmanager
async def by_async_sqlalchemy_session(url: str) -> AsyncIterator[Way]:
    """SQLAlchemy's session on the loop."""
    engine = create_async_engine(_sqlalchemy(url, "asyncpg", "aiosqlite"))
    async with AsyncSession(engine) as session:
        yield Way(session, lambda word: getattr(session, word)())
    await engine.dispose()


@asynccontextmanager
async def by_async_sqlalchemy_on_psycopg(url: str) -> AsyncIterator[Way]:
    """SQLAlchemy's connection on the loop, over psycopg."""
    engine = create_async_engine(_sqlalchemy(url, "psycopg", "aiosqlite"))
    async with engine.connect() as connection:
        yield Way(connection, lambda word: getattr(connection, word)())
    await engine.dispose()


@asynccontextmanager
async def by_sqlite3(url: str) -> AsyncIterator[Way]:
    """sqlite3, with rows of the owner's kind."""
    connection = sqlite3.connect(url.removeprefix("sqlite:///"))
    connection.row_factory = sqlite3.Row
    yield Way(connection, lambda word: getattr(connection, word)())
    connection.close()


@asynccontextmanager
async def by_aiosqlite(url: str) -> AsyncIterator[Way]:
    """The same on the loop."""
    async with aiosqlite.connect(url.removeprefix("sqlite:///")) as connection:
        yield Way(connection, lambda word: getattr(connection, word)())


def _sqlalchemy(url: str, for_postgres: str, for_sqlite: str) -> str:
    return url.replace("postgresql:", f"postgresql+{for_postgres}:").replace(
        "sqlite:", f"sqlite+{for_sqlite}:"
    )


Open = Callable[[str], AbstractAsyncContextManager[Way]]
EITHER: list[Open] = [
    by_sqlalchemy,
    by_sqlalchemy_session,
    by_async_sqlalchemy,
    by_async_sqlalchemy_session,
]
POSTGRES: list[Open] = [
    by_asyncpg,
    by_asyncpg_with_codecs,
    by_psycopg,
    by_async_psycopg,
    by_async_sqlalchemy_on_psycopg,
]
SQLITE: list[Open] = [by_sqlite3, by_aiosqlite]
WAYS = [
    *[("postgres_url", way) for way in POSTGRES + EITHER],
    *[("sqlite_url", way) for way in SQLITE + EITHER],
]


@pytest.fixture(params=WAYS, ids=lambda param: f"{param[0]}-{param[1].__name__}")
def place(request: pytest.FixtureRequest) -> tuple[str, Open]:
    """A database, and one of the libraries that connect to it."""
    fixture, opened = request.param
    return request.getfixturevalue(fixture), opened


@pytest.fixture
async def way(place: tuple[str, Open]) -> AsyncIterator[tuple[Windlass, Way]]:
    """An app, and a connection to its database."""
    url, opened = place
    async with Windlass(url) as app, opened(url) as connected:
        yield app, connected


def a_batch(app: Windlass) -> list[NewJob]:
    """Jobs of every kind: with keys and without, due and later."""
    declared = app.job(queue="mail")(welcome)
    return [
        declared.job("ada"),
        declared.options(delay=60, name="später", timeout=5).job('eve\'s "%s" %(x)s :now ?1'),
        declared.options(idempotency_key="k", priority=5, thread_demand=2).job("bob"),
        declared.options(idempotency_key="k").job("bob"),
    ]


async def test_jobs_come_with_the_callers_commit(way: tuple[Windlass, Way]) -> None:
    app, connected = way
    batch = a_batch(app)
    batch += [app.job_of("welcome", {"user": "one of many"}) for _ in range(300)]

    answers = await app.enqueue_many(batch, connection=connected.connection)
    before = (await app.stats()).states
    await connected.commit()

    assert set(before.values()) == {0}
    assert [answer.state for answer in answers[:3]] == ["pending", "scheduled", "pending"]
    assert (answers[3].id, answers[3].existing) == (batch[2].id, True)
    later = await app.get(batch[1].id)
    assert (later.payload, later.name) == ({"user": 'eve\'s "%s" %(x)s :now ?1'}, "später")
    assert (await app.stats())[State.PENDING] == 302


async def test_jobs_go_with_the_callers_rollback(way: tuple[Windlass, Way]) -> None:
    app, connected = way

    await app.enqueue_many(a_batch(app), connection=connected.connection)
    await connected.rollback()

    assert set((await app.stats()).states.values()) == {0}
    [fresh] = await app.enqueue_many([app.job_of("welcome", {"user": "x"}, idempotency_key="k")])
    assert not fresh.existing


async def test_a_key_that_is_taken_leaves_nothing_in_a_transaction_that_goes_on(
    way: tuple[Windlass, Way],
) -> None:
    app, connected = way
    declared = app.job(welcome)
    await declared.options(idempotency_key="taken").enqueue("ada")
    batch = [declared.options(idempotency_key=key).job("eve") for key in ("a", "taken", "z")]

    with pytest.raises(KeyTaken):
        await app.enqueue_many(batch, connection=connected.connection)
    kept = await app.enqueue(declared.job("bob"), connection=connected.connection)
    await connected.commit()

    assert (await app.get(kept.id)).state is State.PENDING
    assert (await app.stats())[State.PENDING] == 2
    assert not (await app.enqueue(batch[0])).existing


async def test_without_a_transaction_the_jobs_are_kept_at_once_by_asyncpg(
    postgres_url: str,
) -> None:
    connection = await asyncpg.connect(postgres_url)
    async with Windlass(postgres_url) as app:
        await app.enqueue_many(a_batch(app), connection=connection)

        assert (await app.stats())[State.PENDING] == 2
    await connection.close()


async def test_without_a_transaction_the_jobs_are_kept_at_once_by_psycopg(
    postgres_url: str,
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        async with Windlass(postgres_url) as app:
            await app.enqueue_many(a_batch(app), connection=connection)

            assert (await app.stats())[State.PENDING] == 2


async def test_without_a_transaction_the_jobs_are_kept_at_once_by_sqlite3(sqlite_url: str) -> None:
    connection = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
    async with Windlass(sqlite_url) as app:
        await app.enqueue_many(a_batch(app), connection=connection)

        assert (await app.stats())[State.PENDING] == 2
    connection.close()


async def test_the_bell_rings_when_the_caller_commits(postgres_url: str) -> None:
    async with Windlass(postgres_url) as app, by_asyncpg(postgres_url) as connected:
        declared = app.job(queue="mail")(welcome)
        home = await app._homes.here()
        async with home.bell.listen() as ear:
            await until(ear.wait)  # the ring that stands for those before it listened
            ringing = asyncio.create_task(_heard(ear, "mail"))

            await app.enqueue(declared.job("ada"), connection=connected.connection)
            await connected.commit()

            await asyncio.wait_for(ringing, 20)


async def test_jobs_come_with_the_end_of_the_job_that_enqueues_them(store_url: str) -> None:
    app = Windlass(store_url)
    greet = app.job(queue="mail")(welcome)

    @app.job
    async def sign_up(ctx: Context, user: str) -> None:
        async with ctx.transaction() as tx:
            await app.enqueue_many(
                [greet.job(user), greet.options(idempotency_key=user).job(user)], connection=tx
            )

    @app.job
    def sign_up_plainly(ctx: Context, user: str) -> None:
        with ctx.transaction() as tx:
            app.blocking.enqueue(greet.job(user), connection=tx)

    async with app, app.worker():
        done = await sign_up.enqueue("ada")
        plainly_done = await sign_up_plainly.enqueue("bob")
        for job in (done, plainly_done):
            assert (await app.wait(job.id, timeout=30)).state is State.COMPLETED

        greeted = [job.payload["user"] for job in await app.jobs(query="type:welcome")]
        assert sorted(greeted) == ["ada", "ada", "bob"]


async def test_jobs_of_a_job_that_fails_are_not_kept(store_url: str) -> None:
    app = Windlass(store_url)
    greet = app.job(queue="mail")(welcome)

    @app.job(max_attempts=1)
    async def sign_up(ctx: Context, user: str) -> None:
        async with ctx.transaction() as tx:
            await app.enqueue(greet.job(user), connection=tx)
            raise ValueError("no such user")

    async with app, app.worker():
        failed = await sign_up.enqueue("ada")
        assert (await app.wait(failed.id, timeout=30)).state is State.FAILED

        assert await app.jobs(query="type:welcome") == []


async def _heard(ear: Any, word: str) -> None:
    while word not in await ear.wait():
        continue


async def test_a_connection_to_another_kind_of_database_is_refused(postgres_url: str) -> None:
    async with Windlass(postgres_url) as app:
        connection = sqlite3.connect(":memory:")

        with pytest.raises(BadInput, match="speaks sqlite, but the jobs are kept in postgres"):
            await app.enqueue(app.job(welcome).job("ada"), connection=connection)

        connection.close()


async def test_a_wrapper_like_that_of_django_is_looked_through(sqlite_url: str) -> None:
    class Wrapper:
        """As django.db.backends.base.base.BaseDatabaseWrapper, which is not among our tests."""

        __module__ = "django.db.backends.sqlite3.base"
        connection: sqlite3.Connection | None = None

        def ensure_connection(self) -> None:
            """Connect, without transactions of Python's making."""
            path = sqlite_url.removeprefix("sqlite:///")
            self.connection = sqlite3.connect(path, isolation_level=None)

    async with Windlass(sqlite_url) as app:
        wrapper = Wrapper()

        await app.enqueue(app.job(welcome).job("ada"), connection=wrapper)

        assert (await app.stats())[State.PENDING] == 1
        assert wrapper.connection is not None
        wrapper.connection.close()


async def test_what_is_no_connection_is_refused_with_what_can_be_one(sqlite_url: str) -> None:
    app = Windlass(sqlite_url)

    with pytest.raises(BadInput, match=r"cannot be a builtins\.object; it can be what ctx"):
        await app.enqueue(app.job(welcome).job("ada"), connection=object())


def test_an_async_connection_is_refused_where_there_is_no_loop(sqlite_url: str) -> None:
    app = Windlass(sqlite_url)
    job = app.job(welcome).job("ada")
    engine = create_async_engine(_sqlalchemy(sqlite_url, "asyncpg", "aiosqlite"))

    with pytest.raises(BadInput, match="this connection is for async code"):
        app.blocking.enqueue(job, connection=AsyncSession(engine))


async def test_an_async_connection_is_not_for_blocking_on_a_loop(postgres_url: str) -> None:
    app = Windlass(postgres_url)
    job = app.job(welcome).job("ada")

    async with by_asyncpg(postgres_url) as connected:
        with pytest.raises(BadInput, match="would halt this thread's event loop"):
            app.blocking.enqueue(job, connection=connected.connection)
