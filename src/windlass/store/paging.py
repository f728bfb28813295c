"""Finds the jobs of a page: each filter goes by the index that knows it, or looks a bounded while.

Lists go by ids alone, newest first: those of live and of finished jobs, merged. Whatever no index
knows is looked up in the rows of the ids that fit otherwise, for so many rows or so long.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from windlass.clock import Clock
from windlass.core.fingerprint import fingerprint
from windlass.core.job import FINISHED, LIVE, JobId, State
from windlass.core.search import JobFilter, first_id, is_number, made_at, payload_path
from windlass.store.looking import Looking
from windlass.store.records import FIRST_ID, LAST_ID, Matching
from windlass.store.rows import microseconds
from windlass.store.script import Rows

# Live jobs are walked along by id, so many per page at most: an index for each filter would cost
# every claim.
WALK = 20_000
# Those that run, are for later or wait in one queue have an index each: so many are looked at all.
GATHER = 10_000


class Listed(NamedTuple):
    """Ids, newest first. Whatever fits and is older than `reached` was not looked at."""

    ids: list[JobId]
    reached: JobId | None = None


class Stretch(Struct, frozen=True):
    """What to list: jobs between two ids, and how many."""

    which: JobFilter
    before: JobId
    after: JobId
    limit: int

    @property
    def live(self) -> list[str]:
        """The live states that are asked for."""
        return _asked(self.which.states, LIVE)

    @property
    def finished(self) -> list[str]:
        """The finished ones."""
        return _asked(self.which.states, FINISHED)

    @property
    def ends(self) -> dict[str, Any]:
        """Between which ids."""
        return {"before": self.before, "after": self.after}


def stretch(which: JobFilter) -> Stretch:
    """All that the filter's times and place leave to look at."""
    before, after = which.before or LAST_ID, FIRST_ID
    if which.created_before is not None:
        before = min(before, first_id(which.created_before))
    if which.created_after is not None:
        after = first_id(which.created_after)
    return Stretch(which, before, after, which.limit + 1)


class Paging:
    """Chooses statements, and merges what they find."""

    def __init__(self, read: Callable[..., Awaitable[Rows]], clock: Clock) -> None:
        """`read` runs a statement by its name."""
        self._read = read
        self._clock = clock
        # Searches take turns: the few connections are for those who ask for what an index knows.
        self.turn = asyncio.Lock()

    async def matching(self, which: JobFilter) -> Matching:
        """The ids of one page."""
        if which.searches:
            async with self.turn:
                return await self._search(stretch(which))
        return _page(await self.listed(stretch(which)), which.limit)

    # --- lists ------------------------------------------------------------------------------------

    async def listed(self, asked: Stretch) -> Listed:
        """The newest ids by what indexes know of them."""
        return merged(await self._live(asked), await self._finished(asked), asked.limit)

    async def _live(self, asked: Stretch) -> Listed:
        if not asked.live:
            return Listed([])
        if State.PENDING not in asked.live:
            return await self._gather(asked) or await self._walk(asked)
        walked = await self._walk(asked)
        if walked.reached is None or asked.which.queue is None:
            return walked
        return await self._gather(asked) or walked

    async def _gather(self, asked: Stretch) -> Listed | None:
        """All that fit, if they are few."""
        which = asked.which
        found = await self._read(
            "page_gather",
            states=asked.live,
            type=which.type,
            queue=which.queue,
            **asked.ends,
            bound=GATHER,
            limit=asked.limit,
        )
        if found[0]["looked"] >= GATHER:
            return None
        return Listed([JobId(row["id"]) for row in found if row["id"] is not None])

    async def _walk(self, asked: Stretch) -> Listed:
        which = asked.which
        every = len(asked.live) == len(LIVE)
        # A list of everything never walks past a job.
        bound = asked.limit if every and not which.type and not which.queue else WALK
        found = await self._read(
            "page_walk",
            states=None if every else asked.live,
            type=which.type,
            queue=which.queue,
            **asked.ends,
            bound=bound,
            limit=asked.limit,
        )
        ids = _ids(found)
        if len(ids) >= asked.limit:
            return Listed(ids)
        reached = _ids(await self._read("page_reach", **asked.ends, bound=bound))
        return Listed(ids, reached[0] if reached else None)

    async def _finished(self, asked: Stretch) -> Listed:
        states = asked.finished
        if not states:
            return Listed([])
        name, args = _way(asked.which, states)
        return Listed(_ids(await self._read(name, **args, **asked.ends, limit=asked.limit)))

    # --- searches ---------------------------------------------------------------------------------

    async def _search(self, asked: Stretch) -> Matching:
        """Look at the rows of one list after the other, until a page is full or it takes long."""
        found: list[JobId] = []
        wanted, looking = asked.limit, Looking(self._clock)
        while True:
            asked = replace(asked, limit=looking.portion)
            listed = await self.listed(asked)
            found += await self._fitting(listed.ids, asked.which, wanted - len(found))
            if len(found) >= wanted:
                return _page(Listed(found), wanted - 1)
            if listed.reached is None and len(listed.ids) < asked.limit:
                return Matching(found)
            asked = replace(asked, before=listed.reached or listed.ids[-1])
            if looking.over(WALK if listed.reached else asked.limit):
                return Matching(found, asked.before, made_at(asked.before))

    async def _fitting(self, ids: Sequence[JobId], which: JobFilter, limit: int) -> list[JobId]:
        if which.fingerprint is not None:
            ids = await self._alike(ids, which.fingerprint)
        if not ids:
            return []
        found = await self._read(
            "page_search",
            ids=list(ids),
            name=which.name,
            key=which.key,
            error=which.error,
            fields=_fields(which),
            finished_us=which.finished_before and microseconds(which.finished_before),
            limit=limit,
        )
        return _ids(found)

    async def _alike(self, ids: Sequence[JobId], wanted: str) -> list[JobId]:
        """Those whose error is of this kind, which no database can tell."""
        rows = await self._read("page_errors", ids=list(ids)) if ids else []
        return [JobId(row["id"]) for row in rows if fingerprint(row["error"]) == wanted]


def merged(live: Listed, finished: Listed, limit: int) -> Listed:
    """The newest of both; if the live ones are known only so far back, so is everything."""
    # A job that finished between the two looks is in both.
    ids = sorted({*live.ids, *finished.ids}, reverse=True)[:limit]
    if live.reached is None or (len(ids) == limit and ids[-1] >= live.reached):
        return Listed(ids)
    return Listed([one for one in ids if one >= live.reached], live.reached)


def _page(listed: Listed, limit: int) -> Matching:
    """A page of what was listed with one more than fits."""
    if len(listed.ids) > limit:
        return Matching(listed.ids[:limit], listed.ids[limit - 1])
    back_to = None if listed.reached is None else made_at(listed.reached)
    return Matching(listed.ids, listed.reached, back_to)


def _way(which: JobFilter, states: list[str]) -> tuple[str, dict[str, Any]]:
    """The statement that finds finished jobs by an index made for these fields."""
    if which.type is not None and which.queue is not None:
        return "page_type_queue", {"type": which.type, "queue": which.queue, "states": states}
    if which.type is not None:
        return "page_type", {"type": which.type, "states": states}
    if which.queue is not None:
        return "page_queue", {"queue": which.queue, "states": states}
    if len(states) == len(FINISHED):
        return "page_every", {}
    if State.COMPLETED not in states:
        return "page_unwell", {"states": states}
    return "page_state", {"states": states}


def _asked(states: Iterable[State], kind: frozenset[State]) -> list[str]:
    return sorted((set(states) or set(State)) & kind)


def _ids(rows: Rows) -> list[JobId]:
    return [JobId(row["id"]) for row in rows]


def _fields(which: JobFilter) -> str:
    """Where to look in a payload, in PostgreSQL's way and in SQLite's, and what must be there."""
    return json.dumps(
        [
            {"path": path, "ways": _ways(path), "wanted": wanted}
            for path, wanted in (
                (payload_path(path), wanted) for path, wanted in which.payload.items()
            )
        ]
    )


def _ways(path: Sequence[str]) -> list[str]:
    """SQLite tells a place in a list from a name; both are meant by a number."""
    parts = [(f'."{part}"', f"[{part}]") if is_number(part) else (f'."{part}"',) for part in path]
    return ["$" + "".join(way) for way in product(*parts)]
