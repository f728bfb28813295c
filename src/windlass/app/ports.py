"""What an app needs of the world outside; wiring brings it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct

from windlass.bell.base import Bell
from windlass.bell.hail import Hail, Silence
from windlass.clock import Chance, Clock
from windlass.core.backoff import DEFAULT_BACKOFF, Backoff
from windlass.core.job import NewJob
from windlass.observe.events import Observer, Observers
from windlass.store.base import Store


class Here(Protocol):
    """The same store and bell for a thread that has no event loop, in that thread."""

    def at_once(self) -> bool:
        """Whether nobody is before the caller."""
        ...

    def enqueue(self, job: NewJob) -> bool:
        """Keep a plain job by one commit; if it answers False, the store's own verb is to do it."""
        ...

    def ring(self, words: Sequence[str]) -> None:
        """Wake whoever serves these queues."""
        ...


class Backend(NamedTuple):
    """A store that is open, the bell and the hail that go with it, and who is told of it all."""

    store: Store
    bell: Bell
    observer: Observer = Observers()
    hail: Hail = Silence()
    here: Here | None = None  # if they can serve a thread that has no event loop


class Ports(Struct, frozen=True, kw_only=True):
    """How an app reaches its store, and where it takes time and chance from."""

    connect: Callable[[], Awaitable[Backend]]  # on the event loop that will use it
    clock: Clock
    chance: Chance
    dialect: str  # of the store: what a caller's own connection must speak
    schema: str = "public"
    backoff: Backoff = DEFAULT_BACKOFF  # of the types of job that declare none
    # A statement that rings these words when the transaction commits in which it is said.
    ring_sql: Callable[[Sequence[str]], str] | None = None
