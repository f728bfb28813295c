"""What PostgreSQL and its driver say, in the words of Windlass."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from windlass.core.errors import AlreadyKept, BadStore, Busy, NotMigrated, StoreAway, WindlassError

# What a server says that follows another: that it may not write; and of a table that is not logged,
# that it does not have such a thing; our statements ask for nothing else that might be missing.
FOLLOWS = (asyncpg.ReadOnlySQLTransactionError, asyncpg.FeatureNotSupportedError)
# What a server says when it goes away, or comes back, under a statement: try again later.
AWAY = (
    OSError,
    asyncio.TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.TooManyConnectionsError,
    asyncpg.DiskFullError,
    *FOLLOWS,
)
# What is said of a URL that cannot be right, or to somebody who will never be let in.
UNFIT = (
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InsufficientPrivilegeError,
    asyncpg.ClientConfigurationError,
    ValueError,
)
# What is said where our tables were never made, or those of another version.
MISSING = (
    asyncpg.UndefinedTableError,
    asyncpg.UndefinedFunctionError,
    asyncpg.UndefinedColumnError,
    asyncpg.InvalidSchemaNameError,
)
# Statements that were rolled back for certain, and may be sent again at once.
UNDONE = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)


def in_our_words(problem: Exception) -> WindlassError | None:
    """What an error under a statement means for the caller; nothing if that is not known here."""
    if isinstance(problem, asyncpg.UniqueViolationError):
        return AlreadyKept(said(problem))
    if isinstance(problem, asyncpg.LockNotAvailableError | asyncpg.QueryCanceledError):
        return Busy(f"PostgreSQL did not get to it in time: {said(problem)}")
    if isinstance(problem, asyncpg.InsufficientPrivilegeError):
        return forbidden(problem)
    if isinstance(problem, AWAY):
        return StoreAway(f"lost PostgreSQL: {said(problem)}", ambiguous=_ambiguous(problem))
    if isinstance(problem, MISSING):
        missing = f"the tables of Windlass are missing or old ({said(problem)})"
        return NotMigrated(f"{missing}; run: windlass migrate up")
    return None


@contextmanager
def fit_to_use() -> Iterator[None]:
    """Tell a URL or a server that will never do from one that is away for now."""
    try:
        yield
    except WindlassError:
        raise
    except UNFIT as problem:
        raise BadStore(f"PostgreSQL cannot be used: {said(problem)}") from problem


@contextmanager
def within_reach() -> Iterator[None]:
    """Turn what is raised for want of a connection into an outage."""
    try:
        yield
    except WindlassError:
        raise
    except AWAY as problem:
        raise StoreAway(f"cannot reach PostgreSQL: {said(problem)}") from problem
    except UNFIT as problem:
        # It was fit when the pool was opened: a password is changed, or a backup restored.
        raise StoreAway(f"PostgreSQL lets us in no more: {said(problem)}") from problem


def forbidden(problem: asyncpg.InsufficientPrivilegeError) -> BadStore:
    """What to tell a role that may not do what it was asked to."""
    return BadStore(
        f"PostgreSQL does not let this role do that: {said(problem)};"
        " grant it the right, or connect as another role"
    )


def said(problem: BaseException) -> str:
    """The words of an error, or its name if it has none."""
    return str(problem) or type(problem).__name__


def _ambiguous(problem: BaseException) -> bool:
    """Whether the statement may have been committed all the same."""
    undone = (asyncpg.CannotConnectNowError, asyncpg.TooManyConnectionsError, asyncpg.DiskFullError)
    return not isinstance(problem, (*undone, *FOLLOWS))
