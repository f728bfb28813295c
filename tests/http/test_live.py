"""The hub of events: what one look at the store tells everybody who listens."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.core.makers import NOW, a_job
from tests.recorder import Recorder
from tests.store.yard import OwnClock
from tests.waiting import until
from windlass.app.board import Board, QueueView
from windlass.clock import SystemChance
from windlass.core.errors import StoreAway
from windlass.core.job import Job, JobId, State
from windlass.http import answer as answers
from windlass.http import live as hub
from windlass.http.answer import Message, Stream
from windlass.http.bulletin import LARGEST as LARGEST_PAGE
from windlass.http.bulletin import Topic
from windlass.http.drain import Drain
from windlass.http.live import IDLE, LARGEST, Live, Rhythm, Sources
from windlass.http.problems import Refusal
from windlass.http.reader import SIGN_OF_LIFE
from windlass.observe.events import ChoreFailed
from windlass.store.records import Counts, Fleet, QueueRecord
from windlass.store.totals import Glance, Newest, Step


class World:
    """A store of a few jobs that counts what it is asked, and a hub over it."""

    def __init__(self, jobs: int = 2) -> None:
        self.jobs = {job.id: job for job in (numbered(number) for number in range(jobs))}
        self.asked: Counter[str] = Counter()
        self.steps: dict[JobId, Step] = {}
        self.queues = ["mail"]
        self.away = False
        self.clock = OwnClock()
        self.told = Recorder()
        self.live = Live(
            Sources(
                glance=self.glance,
                find=self.find,
                count=self.count,
                board=self.board,
                newest=self.newest,
            ),
            clock=self.clock,
            chance=SystemChance(),
            observer=self.told,
            rhythm=Rhythm(look=0.01, count=1.0, sign_of_life=0.01, longest=100.0),
        )

    @property
    def ids(self) -> list[JobId]:
        """Every job there is."""
        return list(self.jobs)

    async def glance(self, ids: Sequence[JobId]) -> list[Glance]:
        """As the store."""
        self._ask("glance")
        return [
            Glance(
                *(job.id, job.state, job.lane, job.fence, job.cancel_requested),
                step=self.steps.get(job.id),
            )
            for job in map(self.jobs.get, ids)
            if job
        ]

    async def find(self, ids: Sequence[JobId]) -> list[Job]:
        """As the store."""
        self._ask("find")
        return [self.jobs[job] for job in ids if job in self.jobs]

    async def count(self) -> Counts:
        """As the store."""
        self._ask("count")
        states = Counter(job.state for job in self.jobs.values())
        return Counts(states={state: states[state] for state in State}, counted_at=NOW)

    async def board(self) -> Board:
        """As the app."""
        self._ask("board")
        queues = [QueueView(record=QueueRecord(name=name)) for name in self.queues]
        return Board(at=NOW, queues=queues, fleet=Fleet(), incidents=())

    async def newest(self) -> list[Newest]:
        """As the store."""
        self._ask("newest")
        newest = sorted(self.jobs.values(), key=lambda job: job.id, reverse=True)[:200]
        return [Newest(job.id, job.state, job.fence) for job in newest]

    def _ask(self, what: str) -> None:
        self.asked[what] += 1
        if self.away:
            raise StoreAway("nobody answers")

    def change(self, job: JobId, **changes: Any) -> None:
        """Let something happen to a job."""
        self.jobs[job] = replace(self.jobs[job], fence=self.jobs[job].fence + 1, **changes)

    async def turn(self) -> float | None:
        """Let a second pass, and look."""
        self.clock.advance(1)
        return await self.live.turn()


class Ear:
    """One who listens."""

    def __init__(self, live: Live, jobs: Sequence[JobId] = ()) -> None:
        self.chunks = live.listen(jobs)

    async def hear(self) -> list[tuple[Any, ...]]:
        """What is told at once: the name of each event, and what it is about."""
        events = parsed(await anext(self.chunks))
        return [
            (name, data["id"], data.get("status")) if name != "counts" else (name, *data.values())
            for name, data in events
        ]

    async def open(self) -> "Ear":
        """Be greeted."""
        assert await self.hear() == []
        return self


def numbered(number: int, **changes: Any) -> Job:
    return a_job(id=JobId(f"01890000-0000-7000-8000-{number:012}"), **changes)


def parsed(chunk: bytes) -> list[tuple[str, Any]]:
    """The events of a chunk: names and documents."""
    blocks = [block for block in chunk.decode().split("\n\n") if "event: " in block]
    fields = [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]
    return [(one["event"], msgspec.json.decode(one["data"])) for one in fields]


async def test_at_first_it_is_told_how_things_stand() -> None:
    world = World()
    ear = await Ear(world.live, world.ids[:1]).open()

    await world.turn()

    assert await ear.hear() == [
        ("job", world.ids[0], "pending"),
        ("counts", 0, 2, 0, 0, 0, 0),
    ]


async def test_then_only_changes_are_told() -> None:
    world = World()
    ear = await Ear(world.live, world.ids).open()
    await world.turn()
    await ear.hear()

    await world.turn()
    quiet = await anext(ear.chunks)
    world.change(world.ids[1], cancel_requested=True)
    await world.turn()

    assert quiet == SIGN_OF_LIFE
    assert await ear.hear() == [("job", world.ids[1], "pending")]


async def test_a_job_that_there_is_not_is_gone() -> None:
    world = World()
    first, second = world.ids
    ear = await Ear(world.live, [first, second, numbered(9).id]).open()
    await world.turn()
    heard = await ear.hear()

    del world.jobs[first]
    await world.turn()

    assert ("gone", numbered(9).id, None) in heard
    assert [event for event in await ear.hear() if event[0] != "counts"] == [("gone", first, None)]


async def test_how_far_a_job_is_is_told_without_reading_it_again() -> None:
    world = World()
    ear = await Ear(world.live, world.ids).open()
    await world.turn()
    await ear.hear()
    read = world.asked["find"]

    world.steps[world.ids[0]] = Step(0.5, "half", NOW)
    await world.turn()
    events = parsed(await anext(ear.chunks))
    late = await Ear(world.live, world.ids[:1]).open()
    await world.turn()

    told = {"id": world.ids[0], "fraction": 0.5, "message": "half", "at": "2026-01-02T03:04:05Z"}
    assert events == [("progress", told)]
    assert ("progress", told) in parsed(await anext(late.chunks))
    assert world.asked["find"] == read + 1  # for the late one


async def test_who_comes_later_is_told_all_and_the_others_nothing_twice() -> None:
    world = World()
    early = await Ear(world.live, world.ids).open()
    await world.turn()
    await early.hear()

    late = Ear(world.live, world.ids)
    greeting = await late.hear()
    await world.turn()

    assert greeting == []
    assert sorted(event[0] for event in await late.hear()) == ["counts", "job", "job"]
    assert await anext(early.chunks) == SIGN_OF_LIFE


async def test_a_thousand_who_listen_cost_what_one_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[object] = []

    def encode(value: object) -> bytes:
        encoded.append(value)
        return msgspec.json.encode(value)

    monkeypatch.setattr(hub, "encode", encode)
    asked = []
    for listeners in (1, 1_000):
        world, before = World(100), len(encoded)
        ears = [await Ear(world.live, world.ids).open() for _ in range(listeners)]
        for turn in range(5):
            world.change(world.ids[turn])
            await world.turn()
        heard = [sorted(parsed(await anext(ear.chunks)), key=str) for ear in ears]

        assert all(one == heard[0] for one in heard)
        assert len(encoded) - before == 100 + 4 + 1
        asked.append(world.asked)

    assert asked[0] == asked[1] == {"glance": 5, "find": 5, "count": 5}


async def test_nobody_listening_nothing_is_asked() -> None:
    world = World()
    ear = await Ear(world.live, world.ids).open()
    await world.turn()
    await ear.chunks.aclose()
    world.asked.clear()

    pause = await world.turn()

    assert pause == IDLE
    assert world.asked == {}


async def test_who_does_not_read_keeps_the_latest_news_only() -> None:
    world = World(1)
    ear = await Ear(world.live, world.ids).open()

    for state in (State.PENDING, State.RUNNING, State.COMPLETED):
        world.change(world.ids[0], state=state)
        await world.turn()

    assert await ear.hear() == [
        ("job", world.ids[0], "completed"),
        ("counts", 0, 0, 0, 1, 0, 0),
    ]


async def test_who_takes_nothing_of_what_it_is_sent_is_let_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def stuck(message: Message) -> None:
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    async def stays() -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(answers, "PATIENCE", 0.01)
    world = World()

    await answers.stream(Stream(world.live.listen(world.ids), b"text/plain"), stuck, stays())

    assert not world.live._readers
    assert not world.live._watchers


async def test_a_job_too_large_to_be_sent_along_is_to_be_read() -> None:
    world = World()
    large, small = world.ids
    world.change(large, payload=f'"{"x" * LARGEST}"')
    ear = await Ear(world.live, world.ids).open()

    await world.turn()

    assert [event for event in sorted(await ear.hear()) if event[0] != "counts"] == [
        ("changed", large, "pending"),
        ("job", small, "pending"),
    ]


async def test_a_document_of_many_lines_is_one_line_of_an_event() -> None:
    world = World(1)
    world.change(world.ids[0], payload='{\n "a":\r\n 1}')
    ear = await Ear(world.live, world.ids).open()
    await world.turn()

    [(_, job), _] = parsed(await anext(ear.chunks))

    assert job["payload"] == {"a": 1}


async def test_what_could_not_be_told_is_told_later() -> None:
    world = World()
    ear = await Ear(world.live, world.ids[:1]).open()
    running = asyncio.create_task(world.live.run(Drain()))
    world.away = True
    await until(lambda: world.told.of(ChoreFailed))

    world.away = False
    heard = [await ear.hear()]
    while not heard[-1]:
        heard.append(await ear.hear())

    assert world.told.of(ChoreFailed)[0].away
    assert heard[-1][0] == ("job", world.ids[0], "pending")
    running.cancel()


async def test_each_event_has_an_id_of_its_own() -> None:
    world = World()
    ear = await Ear(world.live, world.ids).open()
    await world.turn()

    lines = (await anext(ear.chunks)).decode().split("\n")

    ids = [line for line in lines if line.startswith("id: ")]
    assert len(set(ids)) == 3


async def test_streams_end_when_the_service_stops() -> None:
    world, drain = World(), Drain()
    running = asyncio.create_task(world.live.run(drain))
    ear = await Ear(world.live, world.ids).open()

    drain.begin()
    rest = [chunk async for chunk in ear.chunks]
    late = [chunk async for chunk in world.live.listen()]

    await running
    assert all(chunk == SIGN_OF_LIFE or parsed(chunk) for chunk in rest)
    assert len(late) == 1  # the greeting


async def test_a_stream_ends_after_its_longest_time() -> None:
    world = World()
    ear = await Ear(world.live).open()

    world.clock.advance(101)

    assert [chunk async for chunk in ear.chunks] == []


async def test_more_than_can_be_watched_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "MOST_WATCHED", 3)
    world = World(5)
    await Ear(world.live, world.ids[:3]).open()

    await Ear(world.live, world.ids[:3]).open()
    with pytest.raises(Refusal, match="too many") as refused:
        world.live.listen(world.ids[3:])

    assert refused.value.status == 503


async def told(chunks: AsyncGenerator[bytes, None]) -> dict[str, Any]:
    """The news that has come, by the name of the event."""
    return dict(parsed(await anext(chunks)))


async def test_a_topic_is_told_to_those_who_listen_to_it_and_only_when_it_differs() -> None:
    world = World()
    queues = world.live.listen(topics=[Topic.QUEUES])
    others = world.live.listen(topics=[Topic.WORKERS, Topic.INCIDENTS])
    await anext(queues), await anext(others)

    await world.turn()
    first, beside = await told(queues), await told(others)
    await world.turn()
    nothing = await anext(queues)
    world.queues = ["mail", "web"]
    await world.turn()
    second = await told(queues)

    assert [queue["name"] for queue in first.pop("queues")] == ["mail"]
    assert first == {}
    assert beside == {"workers": [], "incidents": []}
    assert nothing == SIGN_OF_LIFE
    assert [queue["name"] for queue in second["queues"]] == ["mail", "web"]
    assert world.asked == {"board": 3}


async def test_who_comes_later_is_told_how_things_stand() -> None:
    world = World()
    first = world.live.listen(topics=[Topic.QUEUES])
    await anext(first)
    await world.turn()
    await told(first)

    same, other = (
        world.live.listen(topics=[Topic.QUEUES]),
        world.live.listen(topics=[Topic.INCIDENTS]),
    )
    await anext(same), await anext(other)
    at_once = await told(same)
    await world.live.turn()
    soon = await told(other)

    assert list(at_once) == ["queues"]
    assert soon == {"incidents": []}


async def test_what_would_be_large_is_to_be_read() -> None:
    world = World()
    world.queues = ["x" * LARGEST_PAGE]
    chunks = world.live.listen(topics=[Topic.QUEUES])
    await anext(chunks)

    await world.turn()

    assert await told(chunks) == {"queues": None}


async def test_jobs_that_are_new_or_otherwise_are_named() -> None:
    world = World()
    chunks = world.live.listen(topics=[Topic.JOBS])
    await anext(chunks)
    await world.turn()
    nothing = await anext(chunks)

    job = numbered(7)
    world.jobs[job.id] = job
    world.change(numbered(0).id, state=State.RUNNING)
    await world.turn()
    hint = await told(chunks)
    del world.jobs[numbered(1).id]
    await world.turn()
    gone = await told(chunks)

    assert nothing == SIGN_OF_LIFE
    assert hint == {
        "jobs": {
            "changed": [
                {"id": numbered(7).id, "status": "pending"},
                {"id": numbered(0).id, "status": "running"},
            ],
            "more": True,
        }
    }
    assert gone == {"jobs": {"changed": [], "more": True}}


async def test_what_is_not_among_the_newest_is_hinted_at_by_the_counts() -> None:
    world = World(jobs=201)
    chunks = world.live.listen(topics=[Topic.JOBS])
    await anext(chunks)
    await world.turn()

    world.change(numbered(0).id, state=State.COMPLETED)
    await world.turn()

    assert await told(chunks) == {"jobs": {"changed": [], "more": True}}


async def test_a_thousand_listeners_cost_what_one_costs() -> None:
    world = World()
    listening = [world.live.listen(topics=list(Topic)) for _ in range(1_000)]
    for chunks in listening:
        await anext(chunks)

    for _ in range(3):
        await world.turn()

    assert world.asked == {"board": 3, "newest": 3, "count": 3}
    for chunks in listening:
        assert (await told(chunks)).keys() == {"counts", "queues", "workers", "incidents"}
