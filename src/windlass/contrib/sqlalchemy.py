"""SQLAlchemy: jobs that go with a session, kept by its commit or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sqlalchemy import Engine, event
from sqlalchemy.orm import Session, SessionTransaction, scoped_session
from sqlalchemy.util import await_only

from windlass import NewJob, Windlass
from windlass.running import at_once

if TYPE_CHECKING:  # it wants greenlet, which is not there where all sessions are plain
    from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_scoped_session

    AnySession: TypeAlias = (
        Session | AsyncSession | scoped_session[Session] | async_scoped_session[AsyncSession]
    )
OURS = "windlass_"


def store_url(engine: Engine | AsyncEngine) -> str:
    """The URL of the store in an engine's own database, for `Windlass(…)`; it has the password."""
    plain = engine.url.set(drivername=engine.url.get_backend_name())
    return plain.render_as_string(hide_password=False)


def include_name(name: str | None, type_: str, _parents: Mapping[str, str | None]) -> bool:
    """Leave Windlass's own tables alone: for `context.configure(include_name=…)` of Alembic."""
    return not (type_ == "table" and name is not None and name.startswith(OURS))


class Letter(NamedTuple):
    """A job, and the transaction or savepoint in which it was put."""

    job: NewJob
    inside: SessionTransaction


class Outbox:
    """Takes jobs without waiting, and has each session's commit keep them, in one statement."""

    def __init__(self, app: Windlass) -> None:
        """Keep jobs of this app, whose store is the database of the sessions."""
        self._app = app

    def put(self, session: AnySession, *jobs: NewJob) -> None:
        """Keep the jobs when the session commits; a rollback, also to a savepoint, forgets them."""
        given: Session | AsyncSession = session() if callable(session) else session
        plain = given if isinstance(given, Session) else given.sync_session
        if self not in plain.info:
            plain.info[self] = []
            _listen(plain, Courier(self._app, given, plain.info[self]))
        # As `session.add` would: what is put now is in a transaction, though it may be the first.
        inside = plain.get_nested_transaction() or plain.get_transaction() or plain.begin()
        plain.info[self] += [Letter(job, inside) for job in jobs]


class Courier:
    """Brings the letters of one session to the database."""

    def __init__(self, app: Windlass, session: Session | AsyncSession, box: list[Letter]) -> None:
        """Take them from this box."""
        self._app = app
        self._session = session
        self._box = box
        self._savepoint: SessionTransaction | None = None

    def before_commit(self, session: Session) -> None:
        """Keep what was put into what commits: a savepoint, or the whole transaction."""
        keeping = self._app.enqueue_many(self._due(session), connection=self._session)
        if self._session is session:
            at_once(keeping)
        else:
            await_only(keeping)

    def _due(self, session: Session) -> list[NewJob]:
        savepoint = session.get_nested_transaction()
        # Told twice of a savepoint, it commits because one around it does.
        whole = savepoint is None or savepoint is self._savepoint
        self._savepoint = savepoint
        due = [letter.job for letter in self._box if whole or letter.inside is savepoint]
        self._forget(None if whole else savepoint)
        return due

    def after_transaction_end(self, _session: Session, ended: SessionTransaction) -> None:
        """Forget what was put into a transaction that ended without keeping it."""
        self._forget(None if ended.parent is None else ended)

    def _forget(self, inside: SessionTransaction | None) -> None:
        left = [letter for letter in self._box if letter.inside is not inside]
        self._box[:] = [] if inside is None else left


def _listen(session: Session, courier: Courier) -> None:
    for name in ("before_commit", "after_transaction_end"):
        listener: Any = getattr(courier, name)
        event.listen(session, name, listener)
