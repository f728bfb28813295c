"""Every error of Windlass, one class per cause.

WindlassError
├── BadInput             the caller asked for something that cannot be
│   ├── UnknownType      no executor is registered for this type of job
│   ├── BadPayload       the payload does not fit the handler
│   ├── PayloadTooLarge  the payload is over the limit
│   ├── BadQuery         the words that say which jobs are wanted cannot be read
│   └── BadStore         the store's URL, file or server cannot be used
├── UnknownJob           no job has this id
├── UnknownWorker        no live worker has this id
├── WrongState           the job is in a state that does not allow this
├── KeyTaken             the idempotency key belongs to another request
├── NotFinished          the job did not finish in the time given
├── BadResult            the handler's result cannot be kept
├── AlreadyKept          a job with this id is in the store already
├── ClaimLost            the attempt's claim is no longer good
├── LockTaken            somebody else holds the lock
├── LockLost             the lock ended before the block that held it
├── StoreAway            the database cannot be reached right now
├── Busy                 the database is reachable but did not get to it in time
│   └── RolledBack       the database undid it in favour of others
└── NotMigrated          the database's tables are older or newer than this program
"""

from __future__ import annotations

from collections.abc import Collection


class WindlassError(Exception):
    """Whatever Windlass raises on purpose."""


class BadInput(WindlassError, ValueError):
    """The caller asked for something that cannot be; nothing was changed."""


class UnknownType(BadInput):
    """No executor is registered for this type of job."""

    def __init__(self, type_: str, known: Collection[str]) -> None:
        """Say which types there are."""
        super().__init__(
            f"no job type {type_!r}; known types: {', '.join(sorted(known)) or 'none yet'}"
        )
        self.type = type_


class BadPayload(BadInput):
    """The payload does not fit the handler."""

    def __init__(self, type_: str, problem: str) -> None:
        """Say what does not fit."""
        super().__init__(f"the payload does not fit job type {type_!r}: {problem}")
        self.type = type_


class PayloadTooLarge(BadInput):
    """The payload is over the limit."""

    def __init__(self, size: int, limit: int) -> None:
        """Say how large it was, and what to do instead."""
        super().__init__(
            f"the payload has {size:,} bytes, over the limit of {limit:,};"
            " store the data elsewhere and pass a reference"
        )


class BadQuery(BadInput):
    """The words that say which jobs are wanted cannot be read."""

    def __init__(self, position: int, problem: str) -> None:
        """Say where, counted from 1, and what would do."""
        super().__init__(f"at character {position}: {problem}")
        self.position = position


class BadStore(BadInput):
    """The store's URL, file or server cannot be used."""


class UnknownJob(WindlassError, LookupError):
    """No job has this id."""

    def __init__(self, job_id: str) -> None:
        """Name the id."""
        super().__init__(f"no job {job_id}; it was never enqueued here, or it was pruned")
        self.id = job_id


class UnknownWorker(WindlassError, LookupError):
    """No worker has this id."""

    def __init__(self, worker: str) -> None:
        """Name the id."""
        super().__init__(f"no worker {worker}; it has ended, or was never there")
        self.id = worker


class WrongState(WindlassError):
    """The job is in a state that does not allow this."""

    def __init__(self, job_id: str, state: str, wanted: str) -> None:
        """Say the state, and what can be done."""
        super().__init__(f"job {job_id} is {state}; {wanted}")
        self.id = job_id
        self.state = state


class KeyTaken(WindlassError):
    """The idempotency key belongs to another request."""

    def __init__(self, key: str, job_id: str) -> None:
        """Name the job that holds the key."""
        super().__init__(
            f"idempotency key {key!r} was used for job {job_id} with another type, queue or"
            " payload; use a new key for a new request"
        )
        self.key = key
        self.id = job_id


class NotFinished(WindlassError, TimeoutError):
    """The job did not finish in the time given; it goes on all the same."""

    def __init__(self, job_id: str, state: str, timeout: float, why: str | None = None) -> None:
        """Say where it is, and why if that is known."""
        reason = f": {why}" if why else ""
        super().__init__(f"job {job_id} is still {state} after {timeout:g} s, and goes on{reason}")
        self.id = job_id
        self.state = state


class BadResult(WindlassError, ValueError):
    """The handler's result cannot be kept."""

    def __init__(self, type_: str, problem: str) -> None:
        """Say what is wrong with it."""
        super().__init__(f"the result of job type {type_!r} cannot be kept: {problem}")
        self.type = type_


class AlreadyKept(WindlassError):
    """A job with this id is in the store already; the store answers it as a re-sent enqueue."""


class ClaimLost(WindlassError):
    """The attempt's claim is no longer good: the job was reclaimed and may be running elsewhere."""


class LockTaken(WindlassError, TimeoutError):
    """Somebody else held the lock for as long as was waited."""

    def __init__(self, name: str, timeout: float) -> None:
        """Say how long that was."""
        super().__init__(f"lock {name!r} was held by somebody else for {timeout:g} s")
        self.name = name


class LockLost(WindlassError):
    """The lock ended before the block that held it: somebody else may hold it by now."""

    def __init__(self, name: str, token: int) -> None:
        """Name the lock, and the token that is stale now."""
        super().__init__(
            f"lock {name!r} could not be held any longer; token {token} is stale, and whoever"
            " takes the lock next has a higher one"
        )
        self.name = name
        self.token = token


class StoreAway(WindlassError):
    """The database cannot be reached right now. `ambiguous` if a commit may have happened."""

    def __init__(self, problem: str, *, ambiguous: bool = False) -> None:
        """Say what failed."""
        super().__init__(problem)
        self.ambiguous = ambiguous


class Busy(WindlassError):
    """The database is reachable but did not get to it in time."""


class RolledBack(Busy):
    """The database undid it in favour of others; nothing was changed, and it may be sent again."""


class NotMigrated(WindlassError):
    """The database's tables are older or newer than this program."""
