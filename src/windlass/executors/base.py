"""What an executor is, how a handler may end, and the registry that knows them all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from enum import StrEnum
from typing import Any, Protocol

from msgspec import Struct

from windlass.core.backoff import Backoff
from windlass.core.duration import duration
from windlass.core.errors import BadInput, UnknownType
from windlass.executors.context import Context
from windlass.observe.events import ExecutorBroken


class Mode(StrEnum):
    """Where a handler runs."""

    LOOP = "loop"  # a coroutine on the worker's event loop
    THREAD = "thread"  # a plain function in a thread of the worker
    PROCESS = "process"  # in a process of its own, which can be killed


class Executor(Struct, frozen=True, kw_only=True):
    """Knows one type of job: the shape of its payload and how to run it."""

    type: str
    mode: Mode
    origin: str  # where the handler is defined, for people and for processes that import it
    # Reads the payload's JSON text and calls the handler; in mode LOOP the answer is a coroutine.
    call: Callable[[str, Context | None], Any]
    encode: Callable[[Any], str | None]  # the result's JSON text; raises BadResult
    gather: Callable[[tuple[Any, ...], Mapping[str, Any]], Any]  # arguments as one payload
    validate: Callable[[Any], str]  # the payload's JSON text; raises BadPayload
    schema: Callable[[], dict[str, Any]]  # the JSON Schema of the payload, made when asked for
    wants_context: bool
    queue: str
    max_attempts: int
    max_crashes: int
    priority: int
    threads: int
    timeout: float | None
    backoff: Backoff | None
    memory_limit: int | None
    description: str | None = None  # what it does, in the first line that its author wrote
    # Lets go of what the handler holds open on the running event loop; the next call opens it anew.
    close: Callable[[], Awaitable[None]] | None = None


class Shelf(Protocol):
    """Executors from elsewhere, made when they are first asked for."""

    @property
    def flaws(self) -> Sequence[ExecutorBroken]:
        """What could not be made, as far as it was asked for."""
        ...

    def types(self) -> Sequence[str]:
        """The types that may be here."""
        ...

    def take(self, type_: str) -> Executor | None:
        """The executor of this type, if it is here and can be made."""
        ...


class Registry:
    """The executors of one application, by type."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._executors: dict[str, Executor] = {}
        self._provided: dict[str, Executor] = {}
        self._shelf: Shelf | None = None
        self._dress: Callable[[Executor], Executor] = _as_it_is

    def add(self, executor: Executor) -> None:
        """Know one more type. The same handler may come again, as it does in a notebook."""
        known = self._executors.get(executor.type)
        if known is not None and known.origin != executor.origin:
            raise BadInput(
                f"job type {executor.type!r} is {known.origin} already;"
                f" give {executor.origin} another one: @app.job(type=…)"
            )
        self._executors[executor.type] = self._dress(executor)

    def provide(self, executor: Executor) -> None:
        """Know a type that comes with Windlass; one of the same name that is added wins."""
        self._provided[executor.type] = self._dress(executor)

    def dress(self, change: Callable[[Executor], Executor]) -> None:
        """Change every executor, known or to come; each dress lies over the one before."""
        before = self._dress
        self._dress = lambda executor: change(before(executor))
        for known in (self._executors, self._provided):
            known |= {type_: change(executor) for type_, executor in known.items()}

    def look_on(self, shelf: Shelf) -> None:
        """Look there for types that are not known otherwise, when somebody asks for them."""
        self._shelf = shelf

    def get(self, type_: str) -> Executor:
        """The executor of this type."""
        executor = self.find(type_)
        if executor is None:
            raise UnknownType(type_, self.types())
        return executor

    def find(self, type_: str) -> Executor | None:
        """The executor of this type, if there is one."""
        return self._executors.get(type_) or self._provided.get(type_) or self._from_shelf(type_)

    def types(self) -> list[str]:
        """Every type there is an executor for."""
        for type_ in self._shelf.types() if self._shelf is not None else ():
            self.find(type_)
        return list(self._provided | self._executors)

    @property
    def flaws(self) -> Sequence[ExecutorBroken]:
        """Why types that should be known are not."""
        self.types()
        return self._shelf.flaws if self._shelf is not None else ()

    def _from_shelf(self, type_: str) -> Executor | None:
        executor = self._shelf.take(type_) if self._shelf is not None else None
        if executor is not None:
            self.provide(executor)
        return executor

    async def close(self) -> None:
        """Have every executor let go of what it holds open on this event loop.

        One that fails at it keeps no other from it, and is told of at the end.
        """
        async with AsyncExitStack() as closing:
            for executor in (*self._executors.values(), *self._provided.values()):
                if executor.close is not None:
                    closing.push_async_callback(executor.close)


def _as_it_is(executor: Executor) -> Executor:
    return executor


class Verdict(Exception):
    """Raised by a handler to say itself how its attempt ends."""


class Snooze(Verdict):
    """Run me again later; this attempt does not count."""

    def __init__(self, delay: float | timedelta) -> None:
        """`delay` in seconds or as a timedelta."""
        self.delay = duration(delay, "Snooze").total_seconds()
        super().__init__(f"snoozed for {self.delay:g} s")


class Cancel(Verdict):
    """Count me as cancelled."""


class Discard(Verdict):
    """Failed, and trying again is no use."""

    def __init__(self, message: str) -> None:
        """Say why."""
        super().__init__(message)


class Retry(Verdict):
    """Failed for now; try again, but not before `after`."""

    def __init__(self, message: str = "asked to be retried", *, after: float | timedelta) -> None:
        """`after` in seconds or as a timedelta."""
        self.after = duration(after, "Retry after").total_seconds()
        super().__init__(message)
