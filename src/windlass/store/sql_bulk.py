"""Changes many jobs on behalf of one that runs: a chunk, and the place after it, in one commit."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from windlass.core.bulk import Action, Chunk, Place, Step
from windlass.core.errors import ClaimLost
from windlass.core.job import LIVE, JobId, State
from windlass.core.search import JobFilter
from windlass.store.asking import Asking
from windlass.store.rows import instant, microseconds
from windlass.store.script import Rows, Script, Statement

# The place is a file that the action keeps with its job: fenced, and forgotten together.
PLACE = "place.json"
# Where the jobs stand that an action can change.
HELD = {Action.RETRY: "bulk_finished", Action.DELETE: "bulk_finished", Action.CANCEL: "bulk_live"}

_place = msgspec.json.Decoder(Place)


class SqlBulk(Asking):
    """The verbs of bulk actions; see `Jobs` of their executor for what each promises."""

    async def place(self, job_id: JobId, fence: int) -> Place:
        """Where a bulk action goes on, or begins: with the jobs that are there now."""
        return await self.database.run(beginning(job_id, fence))

    async def size(self, which: JobFilter) -> int:
        """How many jobs there are of these states, this type and this queue."""
        live = any(state in LIVE for state in which.states)
        name = "bulk_size_live" if live else "bulk_size_finished"
        states = [state.value for state in which.states]
        [row] = await self._read(name, states=states, type=which.type, queue=which.queue)
        return int(row["jobs"])

    async def advance(self, chunk: Chunk) -> Step:
        """Change the jobs of a chunk that still fit, and move the place past it."""
        return await self.database.run(advancing(chunk))


def beginning(job: JobId, fence: int) -> Script[Place]:
    """Read the place, or make one; `SqlBulk.place` as a transaction."""
    now_us = yield from _hold(job, fence)
    found = yield Statement("kept", {"id": job, "name": PLACE})
    if found:
        return _place.decode(found[0]["content"])
    place = Place(until=instant(now_us))
    yield _keep(job, fence, place)
    return place


def advancing(chunk: Chunk) -> Script[Step]:
    """Change a chunk; `SqlBulk.advance` as a transaction."""
    yield from _hold(chunk.job, chunk.fence)
    held: Rows = []
    changed: Rows = []
    if chunk.ids:
        until_us = microseconds(chunk.place.until)
        ids = [job_id for job_id in chunk.ids if job_id != chunk.job]
        held = yield Statement(HELD[chunk.action], {"ids": ids, "until_us": until_us})
    fit = _fitting(held, chunk.states)
    if fit:
        # Somebody means just these jobs: what is deleted takes its key along.
        changed = yield Statement(chunk.action.value, {"ids": fit, "with_keys": True})
    late = sum(bool(row["late"]) for row in held)
    place = chunk.place.past(chunk.before, matched=len(chunk.ids) - late, changed=len(changed))
    yield _keep(chunk.job, chunk.fence, place)
    return _step(chunk.action, place, changed)


def _hold(job: JobId, fence: int) -> Script[int]:
    """Keep the claim from being taken until the commit, and tell the database's time."""
    found = yield Statement("bulk_hold", {"id": job, "fence": fence})
    if not found:
        raise ClaimLost(f"the claim of job {job} was lost; another worker goes on with it")
    return int(found[0]["now_us"])


def _fitting(held: Rows, states: Collection[State]) -> list[str]:
    return [row["id"] for row in held if row["state"] in states and not row["late"]]


def _keep(job: JobId, fence: int, place: Place) -> Statement:
    return Statement(
        "keep",
        {
            "id": job,
            "fence": fence,
            "name": PLACE,
            "media_type": "application/json",
            "content": msgspec.json.encode(place),
        },
    )


def _step(action: Action, place: Place, changed: Rows) -> Step:
    if action is Action.RETRY:
        return Step(place, sorted({row["queue"] for row in changed}), asked=False)
    asked = action is Action.CANCEL and any(row["state"] == State.RUNNING for row in changed)
    return Step(place, (), asked=asked)
