"""What people do to jobs, queues and workers by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from windlass.core.job import JobId, State, WorkerId
from windlass.store.asking import Asking
from windlass.store.records import FIRST_ID
from windlass.store.rows import MICROSECOND


class SqlByHand(Asking):
    """The verbs that people say; see `Store` for what each promises."""

    async def cancel(self, ids: Sequence[JobId]) -> list[JobId]:
        """Cancel waiting jobs now and ask running ones to stop; answer with those still live."""
        found = await self._write("cancel", ids=list(ids))
        return [JobId(row["id"]) for row in found if row["state"] == State.RUNNING]

    async def retry(self, ids: Sequence[JobId]) -> list[JobId]:
        """Put failed and cancelled jobs back in line; answer with those that were."""
        return [JobId(row["id"]) for row in await self._write("retry", ids=list(ids))]

    async def run_now(self, ids: Sequence[JobId]) -> list[JobId]:
        """Put jobs for later in line at once; answer with those that were."""
        return [JobId(row["id"]) for row in await self._write("run_now", ids=list(ids))]

    async def link(self, job: JobId, old: JobId) -> None:
        """Remember that a job replays an old one."""
        await self._write("link", job=job, old=old)

    async def delete(self, ids: Sequence[JobId]) -> list[JobId]:
        """Forget finished jobs and their keys; answer with the jobs forgotten."""
        if not ids:
            return []
        found = await self._write("delete", ids=list(ids), with_keys=True)
        return [JobId(row["id"]) for row in found]

    async def pause(self, queue: str, by: str) -> None:
        """Let no job of the queue be claimed from now on."""
        await self._write("pause", queue=queue, by=by)

    async def resume(self, queue: str) -> None:
        """Undo `pause`."""
        await self._write("resume", queue=queue)

    async def set_aging(self, aging: timedelta) -> None:
        """Change the aging for jobs to come."""
        await self._write("set_aging", aging_us=aging // MICROSECOND)

    async def rerank(self, after: JobId | None, limit: int) -> JobId | None:
        """Re-rank up to `limit` waiting jobs in the order of their ids; answer with the last."""
        found = await self._write("rerank", after=after or FIRST_ID, limit=limit)
        return JobId(found[0]["id"]) if found else None

    async def drain(self, worker: WorkerId, by: str) -> bool:
        """Let the worker claim no more."""
        return bool(await self._write("drain", id=worker, by=by))

    async def end_drain(self, worker: WorkerId) -> bool:
        """Undo `drain`."""
        return bool(await self._write("drain_end", id=worker))
