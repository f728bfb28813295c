"""Whether a request is sent again, and when."""

from __future__ import annotations

from http import HTTPStatus

from msgspec import Struct

from windlass.client.exchange import Answer, Heard, Request, Silence
from windlass.core.backoff import Backoff

# Whoever is told to come back later than this should know, rather than wait.
LONGEST = 30.0
# Of the service or of a proxy before it: it is not known what became of the request.
AWAY = frozenset(
    {HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT}
)
AGAIN = Backoff(base=0.2, cap=5.0, jitter=0.5)


class Patience(Struct, frozen=True, kw_only=True):
    """How often a request is sent at most, and how long is waited before each time but the first.

    A second of a service that starts again passes unnoticed: 0.2 s, 0.4 s, 0.8 s, with jitter.
    """

    tries: int = 4
    backoff: Backoff = AGAIN

    def pause(
        self, request: Request, heard: Heard, failures: int, *, chance: float
    ) -> float | None:
        """Seconds until the request may be sent again; None if it may not."""
        asked = _asked_to_wait(heard)
        if failures >= self.tries or asked > LONGEST or not _may_repeat(request, heard):
            return None
        return self.backoff.delay(failures, chance=chance, at_least=asked)


def _may_repeat(request: Request, heard: Heard) -> bool:
    match heard:
        case Silence(heard=False) | Answer(status=HTTPStatus.TOO_MANY_REQUESTS):
            return True  # nothing was begun
        case Silence():
            return request.repeatable
        case Answer(status=status):
            return request.repeatable and status in AWAY


def _asked_to_wait(heard: Heard) -> float:
    """What the header Retry-After says in seconds; a date in it is not heeded."""
    said = heard.headers.get("retry-after", "") if isinstance(heard, Answer) else ""
    return float(said) if said.isdecimal() else 0.0
