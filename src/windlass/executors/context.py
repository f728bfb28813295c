"""What a handler knows of the attempt it is, and what it can say about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, overload

import msgspec

from windlass.core.claim import Claim
from windlass.core.errors import BadInput, ClaimLost
from windlass.core.job import JobId, WorkerId
from windlass.executors.chunks import Items, refuse_unshared, split

R = TypeVar("R")
S = TypeVar("S")

Level: TypeAlias = Literal["debug", "info", "warning", "error"]

LEVELS = ("debug", "info", "warning", "error")
MAX_FILE = 16 * 1024 * 1024  # bytes
MAX_FILE_NAME = 200


class Carried(msgspec.Struct):
    """What a policy may carry along that is for nobody but the handler."""

    trace: dict[str, str] = {}


_carried = msgspec.json.Decoder(Carried).decode


class Transaction(Protocol):
    """A block whose effects commit with the end of the attempt, or not at all.

    `async with` in a coroutine, `with` in a plain function; either gives a connection to the
    store's own database.
    """

    async def __aenter__(self) -> Any:
        """Begin."""
        ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Settle and commit, or roll back."""
        ...

    def __enter__(self) -> Any:
        """Begin."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Settle and commit, or roll back."""
        ...


class Desk(Protocol):
    """Where one attempt reports: the worker itself, or a pipe to it from an isolated process."""

    def cancelled(self) -> bool:
        """Whether the attempt is to stop: somebody asked, or the lease is in doubt."""
        ...

    def progress(self, fraction: float, message: str | None) -> None:
        """Take note of how far it has come."""
        ...

    def log(self, level: str, message: str) -> None:
        """Take a log line."""
        ...

    def keep(self, name: str, media_type: str, content: bytes) -> None:
        """Keep a file with the job; it is stored before the attempt is settled."""
        ...

    def share(self, work: Callable[[Any], Any], chunks: Sequence[Any], at_once: int) -> list[Any]:
        """Have so many chunks worked on at once, in processes; raise what one of them raises."""
        ...

    def transaction(self, result: Callable[[], Any]) -> Transaction:
        """A block that settles the attempt as done, with what `result` gives at its end."""
        ...


class Context:
    """Handed to a handler that asks for it by annotating an argument `Context`."""

    __slots__ = ("_claim", "_desk", "_result", "_transacted", "threads")

    def __init__(self, claim: Claim, desk: Desk, threads: int = 1) -> None:
        """Describe one attempt; `threads` is how many it was really granted."""
        self._claim = claim
        self._desk = desk
        self._result: Any = None
        self._transacted = False
        self.threads = threads

    @property
    def id(self) -> JobId:
        """The job's id, the same in every attempt: a key for receivers to know repeats by."""
        return self._claim.id

    @property
    def type(self) -> str:
        """The job's type."""
        return self._claim.type

    @property
    def queue(self) -> str:
        """The queue it was put under."""
        return self._claim.queue

    @property
    def attempt(self) -> int:
        """Which attempt this is, from 1."""
        return self._claim.attempts + 1

    @property
    def last(self) -> bool:
        """Whether the job fails for good if this attempt does."""
        return self._claim.failures + 1 >= self._claim.max_attempts

    @property
    def worker(self) -> WorkerId:
        """The worker that runs it."""
        return self._claim.worker

    @property
    def trace(self) -> Mapping[str, str]:
        """The headers of the trace in which the job was enqueued, if it was in one that is told."""
        policy = self._claim.policy
        return {} if policy is None else _carried(policy).trace

    @property
    def fence(self) -> int:
        """A number that grows with every claim of the job, for stores that can refuse old ones."""
        return self._claim.fence

    @property
    def cancelled(self) -> bool:
        """Whether to stop. A plain function looks now and then, and raises `Cancel`."""
        return self._desk.cancelled()

    def check(self) -> None:
        """Raise if the attempt is to stop: the last thing to do before an effect on the outside."""
        if self._desk.cancelled():
            raise ClaimLost("the attempt is to stop: somebody asked, or another may run it by now")

    def progress(self, fraction: float, message: str | None = None) -> None:
        """Say how far the work has come, from 0 to 1. Two a second are kept, and the last one."""
        if math.isnan(fraction):
            raise BadInput("progress must be a number from 0 to 1, not NaN")
        self._desk.progress(min(max(fraction, 0.0), 1.0), message)

    def log(self, message: str, level: Level = "info") -> None:
        """Keep a line with the job, up to 1,000 an attempt."""
        if level not in LEVELS:
            raise BadInput(f"no log level {level!r}; levels: {', '.join(LEVELS)}")
        self._desk.log(level, message)

    def result(self, value: Any) -> None:
        """Set the result, for a handler that ends in a transaction or returns nothing."""
        self._result = value

    def keep(self, name: str, content: bytes, media_type: str = "application/octet-stream") -> None:
        """Keep a file of up to 16 MiB with the job; a file of the same name is replaced."""
        if not (0 < len(name) <= MAX_FILE_NAME and name.isprintable() and "/" not in name):
            raise BadInput(
                f"a file's name has 1 to {MAX_FILE_NAME} printable characters and no '/',"
                f" unlike {name!r}"
            )
        if len(content) > MAX_FILE:
            raise BadInput(
                f"file {name!r} has {len(content):,} bytes, over the limit of {MAX_FILE:,};"
                " store it elsewhere and keep a reference"
            )
        self._desk.keep(name, media_type, bytes(content))

    @overload
    def map_chunks(
        self, work: Callable[[Any], R], items: Items, *, at_least: int = 1
    ) -> list[R]: ...

    @overload
    def map_chunks(
        self,
        work: Callable[[Any], Any],
        items: Items,
        *,
        reduce: Callable[[list[Any]], S],
        at_least: int = 1,
    ) -> S: ...

    def map_chunks(
        self,
        work: Callable[[Any], Any],
        items: Items,
        *,
        reduce: Callable[[list[Any]], Any] | None = None,
        at_least: int = 1,
    ) -> Any:
        """Work on chunks of the items side by side, on as many CPU threads as were granted.

        `work` is a function that a process can import: it takes a chunk, and what it returns is
        listed in order, or given to `reduce` as a list. Chunks have `at_least` so many items, and
        are cut alike for as many items and threads. Of many items the first are worked on right
        here, and all of them if the way to other processes would take longer than the work.
        It waits for the results, so a coroutine uses `await asyncio.to_thread(ctx.map_chunks, …)`.
        """
        refuse_unshared(work)
        chunks = split(items, self.threads, at_least)
        alone = len(chunks) == 1
        results = [work(chunks[0])] if alone else self._desk.share(work, chunks, self.threads)
        return results if reduce is None else reduce(results)

    def transaction(self) -> Transaction:
        """A block whose end settles the attempt as done, in the same commit as its effects.

        Once per attempt. The result is what `result` was given before the end of the block; what
        the handler does or raises afterwards changes nothing any more.
        """
        if self._transacted:
            raise BadInput("ctx.transaction() ends the attempt, so it can be had only once")
        self._transacted = True
        return self._desk.transaction(self.given)

    def given(self) -> Any:
        """What `result` was given last."""
        return self._result
