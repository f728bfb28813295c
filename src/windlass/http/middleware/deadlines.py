"""How long a request may take: to arrive, and to be answered.

No request has a timer of its own. A sweep looks a few times in a second at those that are open, and
cancels what is overdue.
"""

from __future__ import annotations

import asyncio
from typing import Any, TypeAlias

from windlass.clock import Clock
from windlass.http.answer import Send
from windlass.http.middleware.bodies import Body
from windlass.http.middleware.layer import Asgi, refuse
from windlass.http.middleware.reply import Reply
from windlass.http.problems import RETRY_SOON, Refusal
from windlass.http.request import Receive, Scope

Task: TypeAlias = asyncio.Task[Any]

# A body has this long to arrive, and a second more for each such piece of it that did.
BODY_SECONDS = 10.0
BODY_PIECE = 1 << 18
SWEEP_SECONDS = 0.25

SLOW_BODY = Refusal(
    408, "slow-body", "the body came too slowly", headers=((b"connection", b"close"),)
)
LATE = Refusal(
    503,
    "timeout",
    "there was no answer in time, and whether it was done is not known; send it again, with the"
    " same Idempotency-Key if it has one",
    headers=(RETRY_SOON,),
)


class Deadline:
    """By when one request must have been answered."""

    __slots__ = ("_began", "_body", "_reply", "_task", "missed")

    def __init__(self, scope: Scope, task: Task, now: float) -> None:
        """The time begins now; it begins again when the body is there."""
        self._began = now
        self._task = task
        self._body: Body | None = scope.get("body")
        self._reply: Reply = scope["reply"]
        self.missed: Refusal | None = None

    def look(self, now: float, seconds: float) -> None:
        """Cancel the request if it is overdue; an answer that has begun may take its time."""
        if self._reply.begun or self.missed is not None:
            return
        body = self._body
        if body is not None and not body.whole:
            if now > self._began + BODY_SECONDS + body.came / BODY_PIECE:
                self._miss(SLOW_BODY)
        elif body is not None:
            self._body, self._began = None, now
        elif now > self._began + seconds:
            self._miss(LATE)

    def _miss(self, refusal: Refusal) -> None:
        self.missed = refusal
        self._task.cancel()


class Deadlines:
    """Those of all requests that are open."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        """Sweep nothing until there is something."""
        self._clock = clock
        self._seconds = seconds
        self._open: dict[Task, Deadline] = {}
        self._sweeping = False

    def enter(self, scope: Scope, task: Task) -> Deadline:
        """Watch over a request from now on."""
        deadline = self._open[task] = Deadline(scope, task, self._clock.monotonic())
        if not self._sweeping:
            self._sweep_later()
        return deadline

    def leave(self, task: Task) -> None:
        """The request has ended."""
        del self._open[task]

    def _sweep_later(self) -> None:
        self._sweeping = True
        asyncio.get_running_loop().call_later(SWEEP_SECONDS, self._sweep)

    def _sweep(self) -> None:
        self._sweeping = False
        if not self._open:
            return
        now = self._clock.monotonic()
        for deadline in self._open.values():
            deadline.look(now, self._seconds)
        self._sweep_later()


def deadlines(app: Asgi, open_ones: Deadlines) -> Asgi:
    """Answer in place of a request that is overdue."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 — a server runs each request in a task
        deadline = open_ones.enter(scope, task)
        try:
            await app(scope, receive, send)
        except asyncio.CancelledError:
            # Others may have cancelled it too; theirs counts.
            if deadline.missed is None or task.uncancel() > 0:
                raise
            await refuse(deadline.missed, scope, send)
        finally:
            open_ones.leave(task)

    return serve
