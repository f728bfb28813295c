"""The nodes and workers of a fleet, and what they may take on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from windlass.core.job import NodeId, WorkerId
from windlass.store import rows
from windlass.store.asking import Asking
from windlass.store.records import Ask, NodeRecord, Standing, TypeRecord, WorkerRecord
from windlass.store.rows import MICROSECOND
from windlass.store.script import Statement

# What is told of a type of job; the rest of its record is the store's own.
PUBLISHED = TypeRecord.__struct_fields__[:-2]


class SqlFleet(Asking):
    """The verbs of nodes and workers about themselves; see `Store` for what each promises."""

    async def join(self, node: NodeRecord, lease: timedelta) -> None:
        """Make the node known and grant its first lease."""
        await self._write(
            "join",
            id=node.id,
            host=node.host,
            pid=node.pid,
            version=node.version,
            lease_us=lease // MICROSECOND,
        )

    async def enlist(self, worker: WorkerRecord) -> None:
        """Make the worker known."""
        await self._write(
            "enlist",
            id=worker.id,
            node=worker.node,
            pid=worker.pid,
            slots=worker.slots,
            threads=worker.threads,
            alone=worker.alone,
            types=list(worker.types),
            queues=None if worker.queues is None else list(worker.queues),
        )

    async def teach(self, worker: WorkerId, types: Sequence[str]) -> None:
        """Let the fleet know which types of job the worker takes from now on."""
        await self._write("teach", worker=worker, types=list(types))

    async def publish(self, types: Sequence[TypeRecord]) -> None:
        """Make types of job known."""
        if types:
            said = [tuple(getattr(one, name) for name in PUBLISHED) for one in types]
            await self.database.write(Statement("publish", columns=PUBLISHED, rows=said))

    async def renew(self, node: NodeId, lease: timedelta) -> Standing:
        """Extend the lease."""
        found = await self._write("renew", node=node, lease_us=lease // MICROSECOND)
        if not found:
            return Standing(known=False)
        return Standing(
            known=True,
            now_us=found[0]["now_us"],
            aging_us=found[0]["aging_us"],
            widest=found[0]["widest"],
            suspects=found[0]["suspects"],
            draining=tuple(map(WorkerId, rows.names(found[0]["draining"]))),
        )

    async def asked(self, node: NodeId) -> list[Ask]:
        """The running jobs of this node's workers that somebody asked to cancel."""
        return [Ask(*row) for row in await self._read("asked", node=node)]

    async def dismiss(self, workers: Sequence[WorkerId]) -> None:
        """Mark workers ended."""
        await self._write("dismiss", ids=list(workers))

    async def stand_by(self, worker: WorkerId, number: int) -> None:
        """Let the next job that comes alone be handed to the worker."""
        await self._write("stand_by", worker=worker, number=number)

    async def stand_down(self, worker: WorkerId) -> bool:
        """Undo `stand_by`; whether it stood by until now."""
        return bool(await self._write("stand_down", worker=worker))

    async def stands_by(self, worker: WorkerId) -> bool:
        """Whether it stands by."""
        return bool(await self._read("stands_by", worker=worker))

    async def leave(self, node: NodeId) -> None:
        """Forget the node and its workers."""
        await self._write("leave", node=node)
