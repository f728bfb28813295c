"""Ends its own process at a step of an enqueue with a key, as a crash does: at once."""

import os
import signal
from collections.abc import Awaitable, Callable, Generator
from typing import Any

from windlass.store import shelf, sql_store

STEPS = (
    "before the look",
    "before the commit",
    "inside the transaction",
    "after the commit",
    "before the answer",
)


def die_at(step: str, passes: int) -> None:
    """Let this process die once it has come to the step so often."""
    end = End(step, passes)
    look, keep, fill = shelf.Shelf.look_at_keys, sql_store.SqlStore.enqueue, shelf.Shelf.fill
    changes = {
        (shelf.Shelf, "look_at_keys"): end.around(look, "before the look", "before the commit"),
        (sql_store.SqlStore, "enqueue"): end.around(keep, None, "after the commit"),
        (shelf.Shelf, "fill"): end.around(fill, None, "before the answer"),
        (sql_store, "_enqueue_all"): end.within(sql_store._enqueue_all, "inside the transaction"),
    }
    for (owner, name), changed in changes.items():
        setattr(owner, name, changed)


class End:
    """The end of a process, which comes nearer with each pass of its step."""

    def __init__(self, step: str, passes: int) -> None:
        self._step = step
        self._left = passes

    def around(
        self, act: Callable[..., Awaitable[Any]], before: str | None, after: str
    ) -> Callable[..., Awaitable[Any]]:
        """The same act, between two steps."""

        async def mortal(*args: Any, **given: Any) -> Any:
            self._nears(before)
            answer = await act(*args, **given)
            self._nears(after)
            return answer

        return mortal

    def within(
        self, make: Callable[..., Generator[Any, Any, Any]], step: str
    ) -> Callable[..., Generator[Any, Any, Any]]:
        """The same script, with a step after each of its statements."""

        def mortal(*args: Any, **given: Any) -> Generator[Any, Any, Any]:
            script = make(*args, **given)
            try:
                statement = next(script)
                while True:
                    rows = yield statement
                    self._nears(step)
                    statement = script.send(rows)
            except StopIteration as stop:
                return stop.value

        return mortal

    def _nears(self, step: str | None) -> None:
        if step != self._step:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
