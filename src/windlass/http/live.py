"""What changes, told to everybody who listens: one look at the store for all of them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from functools import partial
from itertools import islice

from msgspec import Struct

from windlass.app import App
from windlass.app.board import Board
from windlass.bell.hail import Hail, Silence
from windlass.clock import Chance, Clock
from windlass.core.errors import StoreAway
from windlass.core.job import Job, JobId
from windlass.http import wire
from windlass.http.answer import encode
from windlass.http.bulletin import BOARD, Bulletin, Topic
from windlass.http.drain import Drain
from windlass.http.neighbours import SUBJECT, Looked, Neighbours, Told
from windlass.http.problems import RETRY_SOON, Refusal
from windlass.http.reader import Reader
from windlass.loop import Loop, Pace
from windlass.observe.events import ChoreFailed, Observer
from windlass.store.records import Counts
from windlass.store.totals import Glance, Newest, Step

# What who names no topic listens to.
USUAL = frozenset({Topic.COUNTS})
# Both bound what this process holds, and how much one statement asks for.
MOST_READERS = 10_000
MOST_WATCHED = 10_000
# Jobs with their documents are read in portions: one may have a megabyte. Who listens is sent no
# such job but told to read it; so what is left lying for one that reads slowly is bounded.
PORTION = 100
LARGEST = 16 << 10
# While nobody listens; whoever comes hurries the next look.
IDLE = 3600.0
# What neighbours have told is good for this much longer than the time between two looks.
PUNCTUALITY = 1.3
# So much of it may lie unread; what is more is looked for.
MOST_TOLD = 16
# The browser comes back after so many ms.
GREETING = b"retry: 1000\n\n"


async def _silence() -> Hail:
    return Silence()


class Sources(Struct, frozen=True, kw_only=True):
    """Where the news comes from."""

    glance: Callable[[Sequence[JobId]], Awaitable[list[Glance]]]
    find: Callable[[Sequence[JobId]], Awaitable[list[Job]]]
    count: Callable[[], Awaitable[Counts]]
    board: Callable[[], Awaitable[Board]]
    newest: Callable[[], Awaitable[list[Newest]]]
    hail: Callable[[], Awaitable[Hail]] = _silence


def sources(app: App) -> Sources:
    """The news of an app's store."""

    async def glance(ids: Sequence[JobId]) -> list[Glance]:
        return await (await app.home()).store.glance(ids)

    async def find(ids: Sequence[JobId]) -> list[Job]:
        return await (await app.home()).store.find(ids)

    async def newest() -> list[Newest]:
        return await (await app.home()).store.newest()

    async def hail() -> Hail:
        return (await app.home()).hail

    return Sources(
        glance=glance, find=find, count=app.stats, board=app.board, newest=newest, hail=hail
    )


class Rhythm(Struct, frozen=True, kw_only=True):
    """How often what is done, in seconds."""

    look: float = 0.5
    count: float = 1.0
    board: float = 1.0
    sign_of_life: float = 15.0
    # A stream ends then and is asked for anew: so a token that was revoked does not listen on.
    longest: float = 3600.0


class Live:
    """Looks at the store while anybody listens, and tells each what is news to it.

    However many listen, a look is one statement, and each piece of news is encoded once. What a
    neighbour has seen is not looked for here.
    """

    def __init__(
        self,
        sources: Sources,
        *,
        clock: Clock,
        chance: Chance,
        observer: Observer,
        rhythm: Rhythm | None = None,
    ) -> None:
        """Look at nothing yet; see `run`."""
        self._sources = sources
        self._clock = clock
        self._observer = observer
        self._rhythm = rhythm or Rhythm()
        self._boot = chance.token()[:8]
        self._number = 0
        self._readers: set[Reader] = set()
        self._fresh: set[Reader] = set()  # those that were told nothing of their jobs yet
        self._watchers: defaultdict[JobId, set[Reader]] = defaultdict(set)
        self._seen: dict[JobId, Glance | None] = {}
        self._counted: Counts | None = None
        self._posted: dict[Topic, bytes] = {}  # for whoever comes next
        self._count_at = 0.0
        self._bulletin = Bulletin(
            sources.board, sources.newest, clock, self._rhythm.board - self._rhythm.look / 2
        )
        self._neighbours = Neighbours(chance.token(), clock)
        self._told: asyncio.Queue[Told] = asyncio.Queue(MOST_TOLD)
        self._known_until: dict[JobId, float] = {}  # of what neighbours have told
        self._telling = asyncio.Lock()
        pace = Pace(every=self._rhythm.look, breath=self._rhythm.look)
        loop = partial(Loop, "live", chance=chance.random, report=self._report)
        self._loop = loop(pace, self.turn)
        self._heeding = loop(Pace(every=self._rhythm.look), self._heed)
        self._ended = False

    async def run(self, drain: Drain) -> None:
        """Look again and again until the service stops; then end every stream."""
        looking = asyncio.create_task(self._look_on())
        try:
            await drain.wait()
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)
            self._end()

    async def _look_on(self) -> None:
        hail = await self._sources.hail()
        self._neighbours.meet(hail)
        with hail.hearing(SUBJECT, self._hear):
            await asyncio.gather(self._loop.run(), self._heeding.run())

    def listen(
        self, jobs: Collection[JobId] = (), topics: Collection[Topic] = USUAL
    ) -> AsyncGenerator[bytes, None]:
        """A stream of events: how things stand, and then what changes."""
        new = sum(job not in self._watchers for job in jobs)
        if len(self._readers) >= MOST_READERS or len(self._watchers) + new > MOST_WATCHED:
            raise Refusal(
                503,
                "too-many-listen",
                "too many listen already, or to too many jobs; read single jobs, or try again soon",
                headers=(RETRY_SOON,),
            )
        return self._stream(Reader(frozenset(jobs), frozenset(topics)))

    async def _stream(self, reader: Reader) -> AsyncGenerator[bytes, None]:
        until = self._clock.monotonic() + self._rhythm.longest
        self._join(reader)
        try:
            yield GREETING
            while self._clock.monotonic() < until:
                news = await reader.take(self._rhythm.sign_of_life)
                if not news:
                    return
                yield news
        finally:
            self._leave(reader)

    # --- who listens ------------------------------------------------------------------------------

    def _join(self, reader: Reader) -> None:
        self._readers.add(reader)
        for job in reader.jobs:
            self._watchers[job].add(reader)
        if reader.jobs:
            self._fresh.add(reader)
        for topic in reader.topics:
            if topic in self._posted:
                reader.tell(topic, self._posted[topic])
            elif topic in BOARD:
                self._bulletin.hurry()
        if self._ended:
            reader.end()
        self._loop.hurry()

    def _leave(self, reader: Reader) -> None:
        self._readers.discard(reader)
        self._fresh.discard(reader)
        for job in reader.jobs:
            self._watchers[job].discard(reader)
            if not self._watchers[job]:
                del self._watchers[job]
                self._seen.pop(job, None)
                self._known_until.pop(job, None)
        if not self._readers:
            self._counted = None
            self._posted.clear()  # old news to whoever comes next

    def _end(self) -> None:
        self._ended = True
        for reader in self._readers:
            reader.end()

    # --- what is news -----------------------------------------------------------------------------

    async def turn(self) -> float | None:
        """Look once; nobody listening, there is no hurry for another look."""
        if not self._readers:
            return IDLE
        await self._neighbours.say_watching(self._watchers.keys())
        if self._watchers and not self._is_known():
            await self._look()
        topics = {topic for reader in self._readers for topic in reader.topics}
        self._posted = {topic: news for topic, news in self._posted.items() if topic in topics}
        # Turns come a little early or late; a count shall not wait for yet another one.
        due = self._counted is None or self._clock.monotonic() >= self._count_at
        if due and not topics.isdisjoint((Topic.COUNTS, Topic.JOBS)):
            self._count_at = self._clock.monotonic() + self._rhythm.count - self._rhythm.look / 2
            await self._count()
        for topic, document in await self._bulletin.news(topics, self._counted):
            self._post(topic, document)
        return None

    async def _look(self) -> None:
        asked, fresh = list(self._watchers), frozenset(self._fresh)
        also = self._neighbours.watched().difference(asked)
        every = [*asked, *islice(also, MOST_WATCHED - len(asked))]
        found = {glance.id: glance for glance in await self._sources.glance(every)}
        await self._compare({job: found.get(job) for job in asked}, fresh)
        await self._neighbours.say_looked({job: found.get(job) for job in every})

    async def _compare(
        self, seen: Mapping[JobId, Glance | None], fresh: frozenset[Reader] = frozenset()
    ) -> None:
        """Tell what has changed since the last time."""
        async with self._telling:
            changed = [job for job, glance in seen.items() if self._has_changed(job, glance)]
            whom = self._whom(changed, fresh)
            stale = await self._tell({job: seen.get(job) for job in whom}, whom)
            stepped = [job for job in seen if _step(seen[job]) != _step(self._seen.get(job))]
            for job, readers in self._whom(stepped, fresh).items():
                self._tell_step(job, _step(seen.get(job)), readers)
            # Only now: what could not be told shall be news again at the next look.
            told = {job: one for job, one in seen.items() if job not in stale}
            self._seen |= {job: one for job, one in told.items() if job in self._watchers}
            self._fresh -= fresh

    def _has_changed(self, job: JobId, glance: Glance | None) -> bool:
        return job not in self._seen or _without_step(self._seen[job]) != _without_step(glance)

    def _whom(self, changed: Iterable[JobId], fresh: Iterable[Reader]) -> dict[JobId, set[Reader]]:
        """Who is to be told of which job: of what changed everybody, of the rest the fresh."""
        whom = {job: set(self._watchers.get(job, ())) for job in changed}
        for reader in fresh:
            for job in reader.jobs:
                whom.setdefault(job, set()).add(reader)
        return whom

    async def _tell(
        self, seen: Mapping[JobId, Glance | None], whom: Mapping[JobId, Iterable[Reader]]
    ) -> set[JobId]:
        """Tell how jobs stand; answers with those that were read otherwise than they were seen."""
        there = [job for job, glance in seen.items() if glance is not None]
        stale: set[JobId] = set()
        for start in range(0, len(there), PORTION):
            for job in await self._sources.find(there[start : start + PORTION]):
                _tell(whom[job.id], job.id, self._news_of(job))
                if not _fits(job, seen[job.id]):
                    stale.add(job.id)
        for job_id in seen.keys() - set(there):
            _tell(whom[job_id], job_id, self._event("gone", encode({"id": job_id})))
        return stale

    def _tell_step(self, job: JobId, step: Step | None, readers: Iterable[Reader]) -> None:
        if step is not None:
            news = self._event("progress", encode({"id": job, **step._asdict()}))
            _tell(readers, f"{job} progress", news)

    def _news_of(self, job: Job) -> bytes:
        document = encode(wire.job(job))
        if len(document) <= LARGEST:
            return self._event("job", document)
        return self._event("changed", encode({"id": job.id, "status": job.state}))

    async def _count(self) -> None:
        counted = await self._sources.count()
        self._take(counted)
        await self._neighbours.say_counted(counted)

    def _take(self, counted: Counts) -> None:
        if self._counted is not None and counted.states == self._counted.states:
            return
        self._counted = counted
        self._post(Topic.COUNTS, encode(dict(counted.states)))

    def _post(self, topic: Topic, document: bytes) -> None:
        news = self._event(topic, document)
        if topic is not Topic.JOBS:
            self._posted[topic] = news
        _tell([reader for reader in self._readers if topic in reader.topics], topic, news)

    # --- what neighbours have seen ----------------------------------------------------------------

    def _is_known(self) -> bool:
        """Whether neighbours have told lately how all that is watched here stands."""
        now = self._clock.monotonic()
        return not self._fresh and all(
            self._known_until.get(job, 0.0) > now for job in self._watchers
        )

    def _hear(self, said: bytes | None) -> None:
        """Take what was said; after a gap there is nothing to rely on."""
        if said is None:
            self._known_until.clear()
            return
        told = self._neighbours.heard(said)
        if told is not None and self._readers and not self._told.full():
            self._told.put_nowait(told)

    async def _heed(self) -> float:
        """Learn what was told next, and then at once what was told after it."""
        await self._learn(await self._told.get())
        return 0.0

    async def _learn(self, told: Told) -> None:
        now = self._clock.monotonic()
        if isinstance(told, Looked):
            seen = {job: one for job, one in told.seen().items() if job in self._watchers}
            await self._compare(seen)
            until = now + PUNCTUALITY * self._rhythm.look
            self._known_until |= {job: until for job in seen if job in self._watchers}
        elif self._readers:
            self._take(told.counts())
            self._count_at = now + PUNCTUALITY * self._rhythm.count

    def _event(self, name: str, document: bytes) -> bytes:
        self._number += 1
        # Documents are laid out as they came; a new line would end the event in the middle.
        line = document.replace(b"\n", b" ").replace(b"\r", b" ")
        return b"id: %b-%d\nevent: %b\ndata: %b\n\n" % (
            self._boot.encode(),
            self._number,
            name.encode(),
            line,
        )

    def _report(self, chore: str, error: Exception) -> None:
        away = isinstance(error, StoreAway)
        self._observer.on(ChoreFailed(chore, repr(error), away=away))


def _tell(readers: Iterable[Reader], subject: str, news: bytes) -> None:
    for reader in readers:
        reader.tell(subject, news)


def _fits(job: Job, glance: Glance | None) -> bool:
    """Whether the job was read as it was seen: it may have changed since, or come from a cache."""
    return glance is not None and (job.state, job.fence, job.cancel_requested) == (
        glance.state,
        glance.fence,
        glance.cancel_requested,
    )


def _step(glance: Glance | None) -> Step | None:
    return glance.step if glance else None


def _without_step(glance: Glance | None) -> Glance | None:
    return glance._replace(step=None) if glance else None
