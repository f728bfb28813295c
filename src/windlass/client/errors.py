"""What can go wrong between a client and the service, one class per cause.

WindlassError
├── Refused          the service answered with a problem, and the sentence is its own
│   ├── BadRequest   what was asked for cannot be
│   ├── KeyTaken     the idempotency key belongs to another request
│   ├── NotAllowed   a token is missing, not good any more, or not enough
│   ├── NotThere     no job, worker, type or file has this name
│   ├── WrongState   the job is in a state that does not allow this
│   └── NotNow       the service is busy or stopping, or cannot reach its store
├── NoAnswer         nobody answered
├── BadAnswer        whoever answered is no Windlass, or one of another version
└── NotFinished      the job did not finish in the time given
"""

from __future__ import annotations

from windlass.core.errors import BadInput, NotFinished, WindlassError
from windlass.wire.problem import KIND, Problem


class Refused(WindlassError):
    """The service answered with a problem; `problem` has all that it said."""

    def __init__(self, problem: Problem) -> None:
        """Say what the service said."""
        super().__init__(problem.detail)
        self.problem = problem
        self.status = problem.status

    @property
    def name(self) -> str:
        """The kind of problem in a word or two, for programs."""
        return self.problem.type.removeprefix(KIND)


class BadRequest(Refused, BadInput):
    """What was asked for cannot be; nothing was changed."""


class KeyTaken(Refused):
    """The idempotency key belongs to another request."""


class NotAllowed(Refused):
    """A token is missing, not good any more, or not enough."""


class NotThere(Refused, LookupError):
    """No job, worker, type or file has this name."""


class WrongState(Refused):
    """The job is in a state that does not allow this."""


class NotNow(Refused):
    """The service is busy or stopping, or cannot reach its store; later it may work."""


class NoAnswer(WindlassError, ConnectionError):
    """Nobody answered. `heard` if the request may have been carried out all the same."""

    def __init__(self, why: str, *, heard: bool) -> None:
        """Say what failed, and what is not known."""
        doubt = "; it may have been carried out all the same" if heard else ""
        super().__init__(f"no answer from the service: {why}{doubt}")
        self.heard = heard


class BadAnswer(WindlassError):
    """Whoever answered is no Windlass, or one of another version."""

    def __init__(self, problem: str) -> None:
        """Say what cannot be read."""
        super().__init__(
            f"this is not how Windlass answers, so check the address and the version: {problem}"
        )


__all__ = [
    "BadAnswer",
    "BadRequest",
    "KeyTaken",
    "NoAnswer",
    "NotAllowed",
    "NotFinished",
    "NotNow",
    "NotThere",
    "Refused",
    "WrongState",
]
