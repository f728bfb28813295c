"""What a database holds, read without any code of ours."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from typing import Any, NamedTuple

import psycopg


class Finished(NamedTuple):
    """A job that will not run again."""

    id: str
    type: str
    state: str
    reason: str | None
    fence: int
    attempts: int
    failures: int
    crashes: int
    max_attempts: int
    max_crashes: int
    run_at: float  # seconds since 1970


class Effect(NamedTuple):
    """A row that a handler left behind."""

    number: int
    job: str
    fence: int


class Books:
    """One database, as its auditor sees it."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._embedded = url.startswith("sqlite:///")

    @property
    def _live(self) -> str:
        """Those that are not over, also where some of them came alone and are in no line yet."""
        live = "select cast(id as text) as id, state from windlass_jobs"
        alone = "select id, 'pending' from windlass_newcomers"
        return f"{live} union all {alone}" if self._embedded else live

    def open_effects(self) -> None:
        """Make the table of effects; it has no unique column, so that doubles show."""
        self._ask("create table effects (number bigint, job text, fence bigint)")

    def effects(self) -> list[Effect]:
        """Every row that handlers left."""
        return [Effect(*row) for row in self._ask("select number, job, fence from effects")]

    def finished(self) -> list[Finished]:
        """Every job that is over."""
        kept = "type, state, reason, fence, attempts, failures, crashes, max_attempts, max_crashes"
        due = "run_at / 1e6" if self._embedded else "extract(epoch from run_at)::float8"
        rows = self._ask(f"select cast(id as text), {kept}, {due} from windlass_history")  # noqa: S608
        return [Finished(*row) for row in rows]

    def charges(self) -> list[str]:
        """What jobs were charged with: the error of every attempt that counts as a failure."""
        charged = "('failed', 'attempts', 'final')"
        asked = f"select error, trace from windlass_attempts where reason in {charged}"  # noqa: S608
        return [f"{error}\n{trace}" for error, trace in self._ask(asked)]

    def count_finished(self) -> int:
        """How many jobs are over."""
        [(count,)] = self._ask("select count(*) from windlass_history")
        return int(count)

    def counts(self) -> dict[str, int]:
        """How many jobs are over in each state, as the books add them up for whoever asks."""
        totals = "select state, jobs from windlass_totals"
        since = "select state, jobs from windlass_rollups where grain = 0"
        added = (
            f"select state, cast(sum(jobs) as bigint) from ({totals} union all {since}) as counted"  # noqa: S608
        )
        return dict(self._ask(f"{added} group by state"))

    def live_ids(self) -> list[str]:
        """The jobs that are not over."""
        return [job for (job,) in self._ask(f"select id from ({self._live}) as live")]  # noqa: S608

    def live(self) -> dict[str, int]:
        """How many jobs there are in each state that is not final."""
        counted = f"select state, count(*) from ({self._live}) as live group by state"  # noqa: S608
        return dict(self._ask(counted))

    def abandoned(self) -> int:
        """How many jobs are held by a worker that is gone."""
        known = "select id from windlass_workers where ended_at is null"
        held = "worker is not null and worker not in"
        [(count,)] = self._ask(f"select count(*) from windlass_jobs where {held} ({known})")  # noqa: S608
        return int(count)

    def standing_by(self) -> int:
        """How many workers wait for a job to be handed to them."""
        [(count,)] = self._ask("select count(*) from windlass_standby")
        return int(count)

    def unwell(self) -> list[str]:
        """Why attempts ended otherwise than well."""
        return [reason for (reason,) in self._ask("select reason from windlass_attempts")]

    def locked(self) -> bool:
        """Whether somebody holds the one lock there is for writing, if there is but one."""
        if not self._embedded:
            return False
        path = self._url.removeprefix("sqlite:///")
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
            try:
                connection.execute("begin immediate")
            except sqlite3.OperationalError:
                return True
            return False

    @asynccontextmanager
    async def closed(self) -> AsyncIterator[None]:
        """Let nobody change a job meanwhile; who tried on PostgreSQL is cut off in the end."""
        if self._embedded:
            path = self._url.removeprefix("sqlite:///")
            with closing(sqlite3.connect(path, timeout=10, isolation_level=None)) as connection:
                connection.execute("begin immediate")
                yield
            return
        with psycopg.connect(self._url) as connection:
            connection.execute("lock table windlass_jobs in exclusive mode")
            yield
            # Else the server would go on with what it was asked by the dead.
            connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
            )

    def _ask(self, question: str) -> list[tuple[Any, ...]]:
        if self._embedded:
            return self._ask_sqlite(question)
        with psycopg.connect(self._url, autocommit=True) as connection:
            cursor = connection.execute(question.encode())
            return cursor.fetchall() if cursor.description else []

    def _ask_sqlite(self, question: str) -> list[tuple[Any, ...]]:
        path = self._url.removeprefix("sqlite:///")
        with closing(sqlite3.connect(path, timeout=10, isolation_level=None)) as connection:
            return connection.execute(question).fetchall()
