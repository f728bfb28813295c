"""Where jobs and keys are kept for a while: all that is done in Redis, and what if it is away.

Decision 22 says why nothing that is taken from here is old.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from typing import NamedTuple, Protocol

from windlass.clock import Clock
from windlass.core.job import JobId
from windlass.redis.script import Script
from windlass.redis.wire import Part, RedisAway, Reply
from windlass.store import entry
from windlass.store.entry import Entry

# How long after it was read a job may be taken from here, in ms.
LIFE = 1_000
# An era goes on for as long as anything of it may be kept.
ERA_LIFE = 2 * LIFE
# How long a commit may take until somebody may read the row and keep it, in ms.
MARKED = 5_000
# So many keys of one command; Lua has room for 8,000.
MOST = 1_000
# Of so many jobs Redis is told without asking first whether anybody reads.
FEW = 50
# Larger jobs are not kept.
MOST_BYTES = 64 * 1024

LOOK = Script.load("cache_look")
LOOK_AT_KEYS = Script.load("cache_keys")
FILL = Script.load("cache_fill")
MARK = Script.load("cache_mark")


class Redis(Protocol):
    """What is asked of the link to Redis."""

    async def call(self, *command: Part) -> Reply:
        """Redis's answer to one command; `RedisAway` if there is none."""
        ...

    async def tell(self, *command: Part, unheard: Callable[[], None]) -> None:
        """Send one command and wait for no answer."""
        ...

    async def run(self, script: Script, keys: Sequence[Part], args: Sequence[Part]) -> Reply:
        """What a script answers."""
        ...

    async def close(self) -> None:
        """Hang up."""
        ...


class Seen(NamedTuple):
    """What a look found, and what a fill needs of it: the tag of its leases, and when it was."""

    entries: list[Entry | None]
    tag: bytes
    era: bytes
    at: int

    @property
    def stamp(self) -> bytes:
        """What entries begin with that are put after this look."""
        return self.tag + self.era


class Fill(NamedTuple):
    """A value for an entry, if its tag is still the same."""

    key: str
    tag: bytes
    value: bytes
    ends: int


class Shelf:
    """Keeps jobs and keys in Redis; without Redis it keeps nothing, and says so."""

    def __init__(self, redis: Redis, keyspace: str, name: str, clock: Clock) -> None:
        """Keep everything under names that begin with `keyspace`; `name` is a UUID of our own."""
        self._redis = redis
        self._era = f"{keyspace}era"
        self._jobs = f"{keyspace}job:"
        self._keys = f"{keyspace}key:"
        self._name = uuid.UUID(name).bytes[: entry.TAG // 2]
        self._numbers = count()
        self._clock = clock
        self._blind_until = 0.0

    def of_job(self, job_id: JobId) -> str:
        """Where a job is kept."""
        return self._jobs + job_id

    def of_key(self, key: str) -> str:
        """Where an idempotency key is kept."""
        return self._keys + key

    # --- reading ----------------------------------------------------------------------------------

    async def look(self, ids: Sequence[JobId]) -> Seen | None:
        """What is kept of these jobs; leases where nothing is. None: ask the database."""
        keys = [self._jobs + job_id for job_id in ids]
        return await self._look(LOOK, keys, ())

    async def look_at_keys(self, wanted: Sequence[tuple[str, JobId]]) -> Seen | None:
        """What is kept of these keys and, in the next place, of the job that has it."""
        pairs = [part for key, job_id in wanted for part in (self._keys + key, self._jobs + job_id)]
        return await self._look(LOOK_AT_KEYS, pairs, (self._jobs, entry.NAMED_AT))

    async def _look(self, script: Script, keys: list[str], more: tuple[Part, ...]) -> Seen | None:
        if len(keys) > MOST or self._clock.monotonic() < self._blind_until:
            return None
        tag = self._tag()
        args = (tag, entry.LEASE, LIFE, ERA_LIFE, *more)
        try:
            at, era, *values = await self._redis.run(script, [self._era, *keys], args)
        except RedisAway:
            return None
        found = [None if value is None else entry.read(value) for value in values]
        return Seen(found, tag, era, at)

    async def fill(self, seen: Seen, fills: Sequence[Fill]) -> None:
        """Keep what was read after a look, where nobody came between."""
        fit = [one for one in fills if len(one.value) <= MOST_BYTES]
        if not fit:
            return
        parts = [part for one in fit for part in (one.tag, one.value, one.ends)]
        try:
            keys = [self._era, *(one.key for one in fit)]
            await self._redis.run(FILL, keys, (seen.era, ERA_LIFE, *parts))
        except RedisAway:
            return

    # --- writing ----------------------------------------------------------------------------------

    @asynccontextmanager
    async def changing(self, ids: Sequence[JobId]) -> AsyncIterator[None]:
        """Keep nothing of these jobs from before the block, whatever comes of it."""
        await self.mark(ids)
        try:
            yield
        finally:
            await self.changed(ids)

    async def mark(self, ids: Sequence[JobId]) -> None:
        """Keep nothing of these jobs until they have `changed`, or a while has passed."""
        if ids and await self._anything():
            for keys in self._parts(ids):
                await self._mark(keys)

    async def changed(self, ids: Sequence[JobId]) -> None:
        """Keep nothing of these jobs from before now."""
        if ids and await self._anything():
            for keys in self._parts(ids):
                await self._drop(keys)

    async def started(self, ids: Sequence[JobId]) -> None:
        """As `changed`, but what Redis says to it is not waited for if they are few.

        The word is sent before anything can begin that follows from it.
        """
        if len(ids) > FEW:
            await self.changed(ids)
            return
        keys = [self._jobs + job_id for job_id in ids]
        try:
            await self._redis.tell("DEL", *keys, unheard=self._blind)
        except RedisAway:
            self._blind()

    async def close(self) -> None:
        """Let go of Redis."""
        await self._redis.close()

    async def _anything(self) -> bool:
        """Whether anything is kept, of any job: without an era nothing is, nor can be later.

        While nobody reads, a batch of any size costs this and nothing else.
        """
        try:
            return bool(await self._redis.call("EXISTS", self._era))
        except RedisAway:
            self._blind()
            return False

    async def _mark(self, keys: list[str]) -> None:
        """Mark them, if something is kept of any: that is rare, and to ask is cheap."""
        try:
            if await self._redis.call("EXISTS", *keys):
                await self._redis.run(MARK, keys, (entry.mark(self._tag()), MARKED))
        except RedisAway:
            self._blind()

    async def _drop(self, keys: list[str]) -> None:
        try:
            await self._redis.call("DEL", *keys)
        except RedisAway:
            self._blind()

    def _blind(self) -> None:
        """Believe nothing for as long as something can be kept that we could not take away."""
        self._blind_until = self._clock.monotonic() + LIFE / 1000

    def _parts(self, ids: Sequence[JobId]) -> Iterator[list[str]]:
        for start in range(0, len(ids), MOST):
            yield [self._jobs + job_id for job_id in ids[start : start + MOST]]

    def _tag(self) -> bytes:
        return self._name + next(self._numbers).to_bytes(entry.TAG // 2)
