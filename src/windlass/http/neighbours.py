"""The other processes that serve the same store: what one has seen the others need not look for.

Everything said here is a hint. Who hears nothing looks for itself, and what is told to those who
listen is read from the store in any case.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import TypeAlias

import msgspec

from windlass.bell.hail import Hail, Silence
from windlass.clock import Clock
from windlass.core.job import JobId, State
from windlass.store.records import Counts
from windlass.store.totals import Glance

SUBJECT = "live"
# Who has listeners says what they watch this often, and is taken to have them for so long.
SAY_EVERY = 1.0
PRESENT_FOR = 3.0
# More than this is not passed on: each looks for itself then.
MOST_SHARED = 1_000


class Watching(msgspec.Struct, tag="watching", frozen=True):
    """Somebody listens at this process, to these jobs."""

    who: str
    ids: list[JobId]


class Looked(msgspec.Struct, tag="looked", frozen=True):
    """How these jobs stand, and which are gone."""

    who: str
    glances: list[Glance]
    gone: list[JobId]

    def seen(self) -> dict[JobId, Glance | None]:
        """Each job that was looked at."""
        return {**dict.fromkeys(self.gone), **{glance.id: glance for glance in self.glances}}


class Counted(msgspec.Struct, tag="counted", frozen=True):
    """How many jobs there are."""

    who: str
    states: dict[State, int]
    at: datetime

    def counts(self) -> Counts:
        """As the store says it."""
        return Counts(states=self.states, counted_at=self.at)


Told: TypeAlias = Looked | Counted

_decoder = msgspec.msgpack.Decoder(Watching | Looked | Counted)


class Neighbours:
    """Who else has listeners, and what they watch."""

    def __init__(self, name: str, clock: Clock) -> None:
        """Know nobody yet."""
        self._name = name
        self._clock = clock
        self._hail: Hail = Silence()
        self._present: dict[str, tuple[float, list[JobId]]] = {}
        self._said: Collection[JobId] = ()
        self._say_at = 0.0

    def meet(self, hail: Hail) -> None:
        """Talk over this from now on."""
        self._hail = hail

    def heard(self, said: bytes) -> Told | None:
        """What another process has seen, if that is what was said."""
        try:
            told: Watching | Told = _decoder.decode(said)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):  # not a word of ours
            return None
        if told.who == self._name:
            return None
        if isinstance(told, Watching):
            self._present[told.who] = (self._clock.monotonic() + PRESENT_FOR, told.ids)
            return None
        return told

    def watched(self) -> set[JobId]:
        """The jobs that others watch."""
        return {job for _, ids in self._here() for job in ids}

    async def say_watching(self, ids: Collection[JobId]) -> None:
        """Say now and then, and when it changes, that somebody listens here and to what."""
        now = self._clock.monotonic()
        if now < self._say_at and self._said == ids:
            return
        self._say_at, self._said = now + SAY_EVERY, set(ids)
        shared = list(ids) if len(ids) <= MOST_SHARED else []
        await self._say(Watching(self._name, shared))

    async def say_looked(self, seen: Mapping[JobId, Glance | None]) -> None:
        """Say how jobs stand, if anybody wants to know."""
        if len(seen) <= MOST_SHARED and any(self._here()):
            glances = [glance for glance in seen.values() if glance is not None]
            gone = [job for job, glance in seen.items() if glance is None]
            await self._say(Looked(self._name, glances, gone))

    async def say_counted(self, counts: Counts) -> None:
        """Say how many jobs there are, if anybody wants to know."""
        if any(self._here()):
            await self._say(Counted(self._name, dict(counts.states), counts.counted_at))

    def _here(self) -> Iterable[tuple[float, list[JobId]]]:
        now = self._clock.monotonic()
        self._present = {who: one for who, one in self._present.items() if one[0] > now}
        return self._present.values()

    async def _say(self, said: Watching | Told) -> None:
        await self._hail.say(SUBJECT, msgspec.msgpack.encode(said))
