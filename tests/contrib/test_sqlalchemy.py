"""Jobs that go with a session of SQLAlchemy, plain and async, on both databases."""

import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, scoped_session
from sqlalchemy.orm import sessionmaker as maker_of

from windlass import JobType, Windlass
from windlass.contrib.sqlalchemy import Outbox, include_name, store_url
from windlass.core.errors import KeyTaken

POSTGRES = "postgresql://"


class Base(DeclarativeBase):
    """What is mapped here."""


class User(Base):
    """Somebody to be welcomed."""

    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]


def driven(url: str, postgres: str, sqlite: str) -> str:
    """The URL as SQLAlchemy has it, with its driver."""
    if url.startswith(POSTGRES):
        return url.replace(POSTGRES, f"postgresql+{postgres}://", 1)
    return url.replace("sqlite://", f"sqlite+{sqlite}://", 1)


@pytest.fixture
def engine(store_url: str) -> Iterator[Engine]:
    """An engine on either database, with a table of the program's own."""
    engine = create_engine(driven(store_url, "psycopg", "pysqlite"))
    Base.metadata.create_all(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def app(engine: Engine) -> Iterator[Windlass]:
    """An app in the engine's own database; it has been used, so that its tables are there."""
    app = Windlass(store_url(engine))
    app.blocking.stats()
    yield app
    app.blocking.close()


@pytest.fixture
def welcome(app: Windlass) -> JobType[[str], [str], str]:
    """A type of job."""

    @app.job
    def welcome(user: str) -> str:
        return user

    return welcome


def users(app: Windlass) -> list[str]:
    """Whose jobs are kept, in the order of their making."""
    return [job.payload["user"] for job in reversed(app.blocking.jobs())]


def test_jobs_are_kept_by_the_commit_in_one_statement(
    app: Windlass, engine: Engine, welcome: JobType[[str], [str], str]
) -> None:
    statements: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *facts: statements.append(facts[2]))
    outbox = Outbox(app)

    with Session(engine) as session:
        session.add(User(name="ada"))
        outbox.put(session, welcome.job("ada"), welcome.job("bob"))
        outbox.put(session, welcome.job("eve"))
        session.flush()
        assert users(app) == []
        session.commit()

    assert users(app) == ["ada", "bob", "eve"]
    kept = [one for one in statements if re.search(r"insert into \S*windlass_jobs", one)]
    # SQLite puts jobs in line that came alone before, if there are any.
    assert len([one for one in kept if "windlass_newcomers" not in one]) == 1


@pytest.mark.parametrize("leave", ["rollback", "close"])
def test_a_session_that_does_not_commit_keeps_none(
    app: Windlass, engine: Engine, welcome: JobType[[str], [str], str], leave: str
) -> None:
    outbox = Outbox(app)

    with Session(engine) as session:
        session.execute(text("select 1"))
        outbox.put(session, welcome.job("ada"))
        getattr(session, leave)()
        session.add(User(name="bob"))
        session.commit()

    assert users(app) == []


def test_a_savepoint_takes_only_its_own_jobs_along(
    app: Windlass, engine: Engine, welcome: JobType[[str], [str], str]
) -> None:
    outbox = Outbox(app)

    with Session(engine) as session, session.begin():
        outbox.put(session, welcome.job("ada"))
        with session.begin_nested() as lost:
            outbox.put(session, welcome.job("bob"))
            with session.begin_nested():
                outbox.put(session, welcome.job("cid"))
            lost.rollback()
        with session.begin_nested():
            outbox.put(session, welcome.job("eve"))

    assert users(app) == ["ada", "eve"]


def test_a_savepoint_that_is_left_open_commits_with_its_transaction(
    app: Windlass, engine: Engine, welcome: JobType[[str], [str], str]
) -> None:
    outbox = Outbox(app)

    with Session(engine) as session, session.begin():
        outbox.put(session, welcome.job("ada"))
        session.begin_nested()
        outbox.put(session, welcome.job("bob"))

    assert users(app) == ["ada", "bob"]


def test_what_listeners_put_during_a_flush_is_kept(
    app: Windlass, engine: Engine, welcome: JobType[[str], [str], str]
) -> None:
    outbox = Outbox(app)

    with Session(engine) as session:

        @event.listens_for(session, "after_flush")
        def put(session: Session, _: object) -> None:
            outbox.put(session, *[welcome.job(user.name) for user in session.new])

        session.add(User(name="ada"))
        session.flush()
        session.commit()

    assert users(app) == ["ada"]


def test_a_session_can_be_used_again(
    app: Windlass, engine: Engine, welcome: JobType[[str], [str], str]
) -> None:
    outbox, session = Outbox(app), scoped_session(maker_of(engine))

    for name in ("ada", "bob"):
        outbox.put(session, welcome.job(name))
        session.commit()
    session.remove()

    assert users(app) == ["ada", "bob"]


def test_a_key_that_is_taken_fails_the_commit(
    app: Windlass, engine: Engine, welcome: JobType[[str], [str], str]
) -> None:
    outbox, once = Outbox(app), welcome.options(idempotency_key="today")

    with Session(engine) as session:
        outbox.put(session, once.job("ada"))
        session.commit()
        session.add(User(name="bob"))
        outbox.put(session, once.job("bob"))
        with pytest.raises(KeyTaken):
            session.commit()
        session.rollback()
        kept = session.query(User).count()

    assert (users(app), kept) == (["ada"], 0)


@pytest.fixture
async def async_engine(store_url: str) -> AsyncIterator[AsyncEngine]:
    """The same for async code."""
    engine = create_async_engine(driven(store_url, "asyncpg", "aiosqlite"))
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    yield engine
    await engine.dispose()


async def test_async_sessions_take_jobs_without_waiting(async_engine: AsyncEngine) -> None:
    async with Windlass(store_url(async_engine)) as app:

        @app.job
        async def welcome(user: str) -> str:
            return user

        outbox = Outbox(app)
        async with AsyncSession(async_engine) as session:
            session.add(User(name="ada"))
            outbox.put(session, welcome.job("ada"), welcome.job("bob"))
            await session.commit()
            outbox.put(session, welcome.job("eve"))
            await session.rollback()
            await session.commit()

        assert [job.payload["user"] for job in await app.jobs()] == ["bob", "ada"]


def test_alembic_is_told_to_leave_our_tables_alone() -> None:
    assert not include_name("windlass_jobs", "table", {})
    assert include_name("users", "table", {})
    assert include_name("windlass_of_mine", "column", {})


def test_the_store_is_where_the_engine_is_with_the_password_that_it_hides(tmp_path: Path) -> None:
    server = create_engine("postgresql+psycopg://ada:p%40ss@db:5433/shop?sslmode=require")
    file = create_engine(f"sqlite:///{tmp_path}/shop.db")

    assert store_url(server) == "postgresql://ada:p%40ss@db:5433/shop?sslmode=require"
    assert store_url(file) == f"sqlite:///{tmp_path}/shop.db"


def test_plain_sessions_need_no_greenlet(tmp_path: Path) -> None:
    program = f"""
import sys
sys.modules["greenlet"] = None  # as where it is not installed
from sqlalchemy import create_engine
from sqlalchemy.orm import Session
from windlass import Windlass
from windlass.contrib.sqlalchemy import Outbox, store_url

engine = create_engine("sqlite:///{tmp_path / "jobs.db"}")
app = Windlass(store_url(engine))
app.blocking.stats()

@app.job
def greet() -> None: ...

with Session(engine) as session, session.begin():
    Outbox(app).put(session, greet.job())
print(app.blocking.stats()["pending"])
"""

    printed = subprocess.check_output([sys.executable, "-c", program], text=True)

    assert printed.strip() == "1"
