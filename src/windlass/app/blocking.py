"""The verbs of an app for code without an event loop; one job alone has a shorter way."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any, Concatenate, ParamSpec, TypeVar

from windlass.app.bridge import Bridge, refuse_on_a_loop
from windlass.app.lock import Hold
from windlass.app.verbs import Verbs
from windlass.core.job import NewJob
from windlass.running import at_once, running_loop
from windlass.store.records import Enqueued

P = ParamSpec("P")
T = TypeVar("T")


def verb(
    method: Callable[Concatenate[Verbs, P], Coroutine[Any, Any, T]], *, at_hand: bool = False
) -> Callable[Concatenate[Blocking, P], T]:
    """The verb as a plain method: it waits for the answer.

    `at_hand` is said of verbs that need no event loop where the store needs none.
    """

    @functools.wraps(method)
    def wait(self: Blocking, /, *args: P.args, **kwargs: P.kwargs) -> T:
        refuse_on_a_loop()
        coroutine = method(self.verbs, *args, **kwargs)
        # A caller's own connection belongs to the caller's thread, and nothing else is waited for.
        if kwargs.get("connection") is not None or (at_hand and self.bridge.at_hand()):
            return at_once(coroutine)
        return self.bridge.run(coroutine)

    return wait


class Blocking:
    """An app's verbs as plain methods."""

    def __init__(self, verbs: Verbs, bridge: Bridge) -> None:
        """Speak for `verbs`, over `bridge`."""
        self.verbs = verbs
        self.bridge = bridge

    def enqueue(self, job: NewJob, *, connection: object = None) -> Enqueued:
        """Keep the job; with a `connection`, as part of the transaction that is open there."""
        # Each step costs several times as much here, after a sync, as where nothing is waited for.
        if connection is None and self.verbs.sending is None and running_loop() is None:
            home = self.bridge.near()
            kept = home.sender.enqueue_here(job) if home is not None else None
            if kept is not None:
                return kept
        return self._enqueue(job, connection=connection)

    _enqueue = verb(Verbs.enqueue, at_hand=True)
    draft = verb(Verbs.draft)
    enqueue_many = verb(Verbs.enqueue_many, at_hand=True)
    enqueue_each = verb(Verbs.enqueue_each, at_hand=True)
    bulk = verb(Verbs.bulk)
    get = verb(Verbs.get)
    read = verb(Verbs.read)
    jobs = verb(Verbs.jobs)
    page = verb(Verbs.page)
    wait = verb(Verbs.wait)
    cancel = verb(Verbs.cancel)
    retry = verb(Verbs.retry)
    run_now = verb(Verbs.run_now)
    replay = verb(Verbs.replay)
    links = verb(Verbs.links)
    delete = verb(Verbs.delete)
    explain = verb(Verbs.explain)
    attempts = verb(Verbs.attempts)
    progress = verb(Verbs.progress)
    lines = verb(Verbs.lines)
    kept = verb(Verbs.kept)
    pause = verb(Verbs.pause)
    resume = verb(Verbs.resume)
    queues = verb(Verbs.queues)
    board = verb(Verbs.board)
    drain = verb(Verbs.drain)
    end_drain = verb(Verbs.end_drain)
    fleet = verb(Verbs.fleet)
    types = verb(Verbs.types)
    stats = verb(Verbs.stats)
    aging = verb(Verbs.aging)
    set_aging = verb(Verbs.set_aging)

    def lock(
        self,
        name: str,
        *,
        ttl: float | timedelta = 30,
        timeout: float | timedelta | None = None,
    ) -> AbstractContextManager[Hold]:
        """Hold the lock of this name while the block runs; see `Verbs.lock`.

        A thread cannot be interrupted: one that lost the lock is told by `check`, and at the end.
        """
        refuse_on_a_loop()
        return self.bridge.entered(self.verbs.lock(name, ttl=ttl, timeout=timeout))

    def close(self) -> None:
        """Let go of the background thread and what it has open; the next verb starts another."""
        self.bridge.close()
