"""A worker that is ready to run."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence

from msgspec import Struct, field

from windlass.app.publishing import published
from windlass.bell.base import EVERY, FAR, NEAR, PUBLIC, Bell, in_public, wakes, wide
from windlass.bell.tokens import HasRoom, Kind, NoTokens, Tokens
from windlass.core.herald import HANDED
from windlass.core.job import NodeId
from windlass.executors.base import Registry
from windlass.observe.events import BellHeard, Observer, WorkerStarted, WorkerStopped
from windlass.store.base import Store
from windlass.store.records import TypeRecord, WorkerRecord
from windlass.worker.settings import WorkerSettings
from windlass.worker.worker import Worker


class Hired(Struct, frozen=True, kw_only=True):
    """The worker, what the fleet shall know of it, and the store that knows."""

    worker: Worker
    record: WorkerRecord
    store: Store
    bell: Bell
    observer: Observer
    types: Sequence[TypeRecord] = ()
    tokens: Tokens = field(default_factory=NoTokens)
    registry: Registry | None = None  # where more types may be declared while it works

    async def enlist(self) -> None:
        """Make it known to the fleet: from now on it may claim."""
        record = self.record
        await self.store.publish(self.types)
        await self.store.enlist(record)
        self.observer.on(
            WorkerStarted(record.id, record.pid, record.slots, record.threads, alone=record.alone)
        )

    async def keep_up(self) -> bool:
        """Take jobs of types that were declared since, and let the fleet know; whether any were."""
        types = self.registry.types() if self.registry is not None else []
        if self.registry is None or self.worker.knows(types):
            return False
        await self.store.publish(published(self.registry))
        await self.store.teach(self.record.id, types)
        self.worker.know(types)
        return True

    async def run(self, on_room: HasRoom = lambda _: None) -> None:
        """Work until told to stop; say whenever it changes whether there is room for more."""
        async with self.tokens.taking(kind_of(self.record), self._wake) as has_room:

            def tell(room: bool) -> None:  # noqa: FBT001
                has_room(room)
                on_room(room)

            self.worker.on_room = tell
            await self.worker.run()
        self.observer.on(WorkerStopped(self.record.id))

    async def listen(self, pass_on: Callable[[Sequence[str]], None]) -> None:
        """Be woken by the bell, and pass on what is for the node."""
        async with self.bell.listen(self.record.id) as ear:
            while True:
                words = await ear.wait()
                self._wake(words)
                public = [word for word in words if word in PUBLIC or word == EVERY]
                if public:
                    pass_on(public)

    def _wake(self, words: Sequence[str]) -> None:
        for word in words:
            if word.startswith(HANDED):
                self.worker.hand(word)
            elif word in {NEAR, FAR}:
                self.worker.hear(near=word == NEAR)
        if wakes(words):
            self.worker.ring(wide=wide(words))
        self.observer.on(BellHeard(in_public(words)))


def record_of(
    worker: Worker, node: NodeId, settings: WorkerSettings, types: Sequence[str]
) -> WorkerRecord:
    """What the fleet shall know of a worker in this process."""
    return WorkerRecord(
        id=worker.id,
        node=node,
        pid=os.getpid(),
        slots=settings.slots,
        threads=settings.threads,
        types=types,
        queues=settings.queues,
        alone=settings.alone,
    )


def kind_of(record: WorkerRecord) -> Kind:
    """What the worker can take; by its name workers of several nodes know each other as alike."""
    queues = None if record.queues is None else sorted(record.queues)
    told = "\0".join([*sorted(record.types), "", *(["*"] if queues is None else queues)])
    return Kind(hashlib.sha256(told.encode()).hexdigest()[:16], queues)
