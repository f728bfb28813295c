"""How often one principal may ask.

Of each is kept only the moment at which it will have been quiet for long enough, and of who has
been, nothing: the memory is bounded, and to forget the quiet ones changes no answer.
"""

from __future__ import annotations

from collections.abc import Awaitable
from math import ceil

from windlass.clock import Clock
from windlass.http.answer import Send
from windlass.http.middleware.layer import HEALTH, Asgi, refuse
from windlass.http.problems import Refusal
from windlass.http.request import Receive, Scope

# Who was quiet may ask as often at once as is allowed in so many seconds.
BURST_SECONDS = 2.0
MOST_PRINCIPALS = 10_000


class Rates:
    """Who has asked how often lately."""

    def __init__(self, clock: Clock, rate: float) -> None:
        """`rate` is in requests per second."""
        self._clock = clock
        self._interval = 1.0 / rate
        self._burst = max(BURST_SECONDS - self._interval, 0.0)
        self._quiet_at: dict[str, float] = {}

    def wait(self, principal: str) -> float:
        """Count one request; or, if it is one too many, the seconds until it would not be."""
        now = self._clock.monotonic()
        ahead = max(self._quiet_at.get(principal, 0.0) - now, 0.0)
        if ahead > self._burst:
            return ahead - self._burst
        if len(self._quiet_at) >= MOST_PRINCIPALS and principal not in self._quiet_at:
            self._forget(now)
        self._quiet_at[principal] = now + ahead + self._interval
        return 0.0

    def _forget(self, now: float) -> None:
        self._quiet_at = {who: at for who, at in self._quiet_at.items() if at > now}
        if len(self._quiet_at) >= MOST_PRINCIPALS:
            del self._quiet_at[next(iter(self._quiet_at))]


def rates(app: Asgi, lately: Rates) -> Asgi:
    """Refuse who asks too often: by name, or by address who has none."""

    def serve(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        wait = 0.0 if scope["path"] in HEALTH else lately.wait(_who(scope))
        if wait > 0.0:
            return refuse(_too_often(wait), scope, send)
        return app(scope, receive, send)

    return serve


def _who(scope: Scope) -> str:
    user, client = scope.get("user"), scope.get("client")
    if user is not None:
        return f"user {user.name}"
    return f"address {client[0] if client else ''}"


def _too_often(wait: float) -> Refusal:
    seconds = ceil(wait)
    return Refusal(
        429,
        "too-often",
        f"too many requests; try again in {seconds} s",
        headers=((b"retry-after", b"%d" % seconds),),
    )
