"""Stores with a shelf in Redis: several on one database, cut off or held up as a test likes."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from tests.store.yard import OwnClock
from windlass.clock import SystemChance
from windlass.core.redis_url import parse_redis_url
from windlass.observe.events import Observers
from windlass.redis.link import Link
from windlass.redis.script import Script as Lua
from windlass.redis.wire import Part, RedisAway, Reply
from windlass.store.base import Database
from windlass.store.cached import CachedStore
from windlass.store.script import Rows, Script, Statement
from windlass.store.shelf import FILL, LOOK, LOOK_AT_KEYS, MARK, Shelf

T = TypeVar("T")

KEYSPACE = "windlass:{test}:"
STEPS = {LOOK: "look", LOOK_AT_KEYS: "look at keys", FILL: "fill", MARK: "mark"}


class Counted:
    """A database that counts what it is asked."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.asked: list[str] = []

    async def read(self, statement: Statement) -> Rows:
        """Count and answer."""
        self.asked.append(statement.name)
        return await self._database.read(statement)

    async def survey(self, statement: Statement) -> Rows:
        """Count and answer."""
        self.asked.append(statement.name)
        return await self._database.survey(statement)

    async def write(self, statement: Statement) -> Rows:
        """Count and do."""
        self.asked.append(statement.name)
        return await self._database.write(statement)

    async def run(self, script: Script[T]) -> T:
        """Count and do, as one."""
        self.asked.append("transaction")
        return await self._database.run(script)

    async def close(self) -> None:
        """Leave it to the fixture."""


class Line:
    """A way to Redis that can be cut, now or before a step, and on which a step can be held up."""

    def __init__(self, url: str) -> None:
        self.link = Link(
            parse_redis_url(url), chance=SystemChance(), observer=Observers(), deadline=1.0
        ).hold()
        self.cut = False
        self.cut_before: str | None = None
        self._held: dict[str, asyncio.Event] = {}
        self.waiting = asyncio.Event()
        self.steps: list[str] = []

    def hold(self, step: str) -> asyncio.Event:
        """Let the step wait for the event; `waiting` is set when it does."""
        self._held[step] = asyncio.Event()
        return self._held[step]

    async def held_up(self) -> None:
        """Return once the step waits."""
        await asyncio.wait_for(self.waiting.wait(), 10)

    async def call(self, *command: Part) -> Reply:
        """One command, if it passes."""
        await self._pass(str(command[0]))
        return await self.link.call(*command)

    async def tell(self, *command: Part, unheard: Callable[[], None]) -> None:
        """One command that nobody waits for, if it passes."""
        await self._pass(str(command[0]))
        await self.link.tell(*command, unheard=unheard)

    async def run(self, script: Lua, keys: Sequence[Part], args: Sequence[Part]) -> Reply:
        """One script, if it passes."""
        await self._pass(STEPS[script])
        return await self.link.run(script, keys, args)

    async def close(self) -> None:
        """Hang up."""
        await self.link.close()

    async def _pass(self, step: str) -> None:
        self.steps.append(step)
        if step == self.cut_before:
            self.cut = True
        if self.cut:
            raise RedisAway("cut off by the test")
        if step in self._held:
            self.waiting.set()
            await self._held.pop(step).wait()


class Shelved(CachedStore):
    """A store of a process of its own, as far as the others can tell."""

    def __init__(self, database: Database, clock: OwnClock, redis_url: str) -> None:
        self.line = Line(redis_url)
        self.counted = Counted(database)
        shelf = Shelf(self.line, KEYSPACE, SystemChance().token(), clock)
        super().__init__(self.counted, clock, shelf)

    @property
    def statements(self) -> list[str]:
        """What the database was asked."""
        return self.counted.asked
