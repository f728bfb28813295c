"""Plain code enqueues in its own thread where the store allows it, and nothing else changes."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import until
from windlass import State, Windlass
from windlass.core.errors import BadInput, KeyTaken, StoreAway
from windlass.core.job import NewJob
from windlass.observe.events import BellRung, Event, JobsEnqueued
from windlass.store.records import Enqueued
from windlass.store.script import Statement
from windlass.store.sqlite_session import Session
from windlass.store.sqlite_writer import Writer

ROOT = Path(__file__).parents[2]
DIE = """
import os, signal, sys
from windlass import Windlass
from windlass.store.sqlite_writer import Writer

app = Windlass(sys.argv[1])

@app.job
def welcome(user: str) -> None: ...

app.blocking.enqueue(welcome.job("eve"))
keep = Writer.keep

def die(self, statement):
    if sys.argv[2] == "after":
        keep(self, statement)
    os.kill(os.getpid(), signal.SIGKILL)

Writer.keep = die
app.blocking.enqueue(welcome.job("ada"))
"""


def welcome(user: str) -> str:
    """Greet somebody."""
    return user


@pytest.fixture
def app(sqlite_url: str) -> Iterator[Windlass]:
    """An app that is open in the background."""
    app = Windlass(sqlite_url)
    app.blocking.stats()
    yield app
    app.blocking.close()


def over_the_loop(app: Windlass, job: NewJob) -> Enqueued:
    """Enqueue it as every store can."""
    return app.blocking.bridge.run(app.enqueue(job))


def threads_of_sending(app: Windlass) -> list[int]:
    """The threads in which jobs will be sent."""
    seen: list[int] = []

    @contextmanager
    def sending(jobs: Sequence[NewJob]) -> Iterator[Sequence[NewJob]]:
        seen.append(threading.get_ident())
        yield jobs

    app.sending = sending
    return seen


def test_a_plain_enqueue_happens_in_the_callers_thread(app: Windlass) -> None:
    declared = app.job(welcome)
    app.blocking.enqueue(declared.job("eve"))  # whoever comes after a pause wakes the writer
    seen = threads_of_sending(app)

    app.blocking.enqueue(declared.job("ada"))
    app.blocking.enqueue_many([declared.job("bob"), declared.job("cyd")])
    [fine] = app.blocking.enqueue_each([declared.job("dot")])

    assert seen == [threading.get_ident()] * 3
    assert isinstance(fine, Enqueued)
    assert app.blocking.stats()[State.PENDING] == 5


@pytest.fixture(params=["postgres", "redis"])
def served(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Windlass:
    """An app that waits for a server: PostgreSQL, or Redis beside SQLite."""
    if request.param == "postgres":
        return Windlass(request.getfixturevalue("postgres_url"))
    monkeypatch.setenv("WINDLASS_REDIS", request.getfixturevalue("redis_url"))
    return Windlass(request.getfixturevalue("sqlite_url"))


def test_what_waits_for_a_server_happens_on_a_loop(served: Windlass) -> None:
    declared = served.job(welcome)
    served.blocking.stats()
    seen = threads_of_sending(served)

    served.blocking.enqueue(declared.job("ada"))

    assert threading.get_ident() not in seen
    assert served.blocking.stats()[State.PENDING] == 1
    served.blocking.close()


def test_a_job_is_the_same_either_way(app: Windlass) -> None:
    declared = app.job(welcome).options(
        queue="mail", priority=3, thread_demand=2, name="hello", delay=timedelta(hours=1)
    )

    mine = app.blocking.enqueue(declared.job("ada"))
    theirs = over_the_loop(app, declared.job("ada"))

    assert (mine.state, mine.existing) == (theirs.state, theirs.existing)
    assert said_of(app, mine) == said_of(app, theirs)


def said_of(app: Windlass, enqueued: Enqueued) -> dict[str, object]:
    """All of a job but what tells it from another."""
    job = app.blocking.get(enqueued.id)
    unlike = ("id", "created_at", "run_at", "rank")
    return {name: getattr(job, name) for name in job.__struct_fields__ if name not in unlike}


def test_a_key_is_held_either_way(app: Windlass) -> None:
    declared = app.job(welcome).options(idempotency_key="k")

    first = app.blocking.enqueue(declared.job("ada"))
    again = app.blocking.enqueue(declared.job("ada"))
    theirs = over_the_loop(app, declared.job("ada"))

    assert (again.id, again.existing) == (theirs.id, theirs.existing) == (first.id, True)
    with pytest.raises(KeyTaken):
        app.blocking.enqueue(declared.job("eve"))


def test_what_was_sent_before_changes_nothing(app: Windlass) -> None:
    job = app.job(welcome).job("ada")

    over_the_loop(app, job)
    app.blocking.enqueue(job)
    app.blocking.enqueue(job)

    assert app.blocking.stats()[State.PENDING] == 1


def test_one_bad_job_keeps_no_other_out(app: Windlass) -> None:
    declared = app.job(welcome)
    app.blocking.enqueue(declared.options(idempotency_key="k").job("ada"))
    bad = declared.options(idempotency_key="k").job("eve")

    answers = app.blocking.enqueue_each([declared.job("bob"), bad, declared.job("cyd")])

    assert [type(answer) for answer in answers] == [Enqueued, KeyTaken, Enqueued]
    with pytest.raises(BadInput):
        app.blocking.enqueue_many([bad, bad])


def test_observers_hear_of_it(sqlite_url: str) -> None:
    app, heard = Windlass(sqlite_url), Notes()
    app.storehouse.observer = heard
    declared = app.job(welcome)
    app.blocking.enqueue(declared.job("eve"))
    before = len(heard.events)

    app.blocking.enqueue(declared.job("ada"))

    rung, enqueued = heard.events[before:]
    assert isinstance(rung, BellRung)
    assert isinstance(enqueued, JobsEnqueued)
    assert (enqueued.count, rung.queues) == (1, ["default"])
    app.blocking.close()


class Notes:
    """Notes whatever it is told."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def on(self, event: Event) -> None:
        """Note it."""
        self.events.append(event)


async def test_who_listens_on_a_loop_of_this_process_is_rung(sqlite_url: str) -> None:
    async with Windlass(sqlite_url) as app:
        declared = app.job(welcome)
        seen = threads_of_sending(app)
        home = await app.home()
        await declared.enqueue("eve")

        async with home.bell.listen() as ear:
            await asyncio.to_thread(app.blocking.enqueue, declared.job("ada"))
            heard = await asyncio.wait_for(ear.wait(), 20)

    assert heard == ["default"]
    assert seen[0] == threading.get_ident() != seen[1]


def test_who_is_overtaken_on_the_way_waits_its_turn(
    app: Windlass, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = app.job(welcome)
    begun = threading.Event()
    hands = app.blocking.bridge.run(hands_of(app))

    def hold_up(_: Session) -> None:
        begun.set()
        asyncio.run(until(lambda: hands._owed == 2))

    def overtake() -> None:
        app.blocking.bridge.run(hands.do(hold_up))

    holding = threading.Thread(target=overtake)
    holding.start()
    begun.wait()
    free = app.blocking.bridge.at_hand()
    monkeypatch.setattr(app.blocking.bridge, "at_hand", lambda: True)
    enqueued = app.blocking.enqueue(declared.job("ada"))
    holding.join()

    assert not free
    assert app.blocking.get(enqueued.id).state is State.PENDING


async def hands_of(app: Windlass) -> Any:
    """Who writes for the app."""
    store: Any = (await app.home()).store
    return store.database._writer


def test_who_finds_it_closed_on_the_way_is_told(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = Windlass(sqlite_url)
    monkeypatch.setattr(app.blocking.bridge, "at_hand", lambda: True)

    with pytest.raises(StoreAway, match="closed meanwhile"):
        app.blocking.enqueue(app.job(welcome).job("ada"))


def test_whatever_was_answered_is_there_once_however_often_it_is_closed(app: Windlass) -> None:
    declared = app.job(welcome)
    kept: list[str] = []
    ended = threading.Event()

    def enqueue() -> None:
        while not ended.is_set():
            try:
                kept.append(app.blocking.enqueue(declared.job("ada")).id)
            except StoreAway as away:
                assert "closed" in str(away) or away.ambiguous  # noqa: PT017

    threads = [threading.Thread(target=enqueue) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        app.blocking.close()
    ended.set()
    for thread in threads:
        thread.join(40)

    assert not any(thread.is_alive() for thread in threads)
    assert len(set(kept)) == len(kept)
    assert app.blocking.stats()[State.PENDING] >= len(kept)
    assert all(app.blocking.get(job_id).state is State.PENDING for job_id in kept[:200])


@pytest.mark.parametrize(("when", "there"), [("before", ["eve"]), ("after", ["ada", "eve"])])
def test_who_dies_at_the_commit_leaves_the_job_once_or_not_at_all(
    sqlite_url: str, when: str, there: list[str]
) -> None:
    died = subprocess.run(
        [sys.executable, "-c", DIE, sqlite_url, when], cwd=ROOT, check=False, timeout=60
    )

    app = Windlass(sqlite_url)
    assert died.returncode == -signal.SIGKILL
    assert sorted(job.payload["user"] for job in app.blocking.jobs()) == there
    app.blocking.close()


@pytest.mark.parametrize("written", [False, True])
def test_a_commit_that_may_have_happened_is_sent_again(
    app: Windlass, monkeypatch: pytest.MonkeyPatch, *, written: bool
) -> None:
    declared = app.job(welcome)
    app.blocking.enqueue(declared.job("eve"))
    keep = Writer.keep

    def fail_once(self: Writer, statement: Statement) -> None:
        monkeypatch.setattr(Writer, "keep", keep)
        if written:
            keep(self, statement)
        raise StoreAway("the sync failed", ambiguous=True)

    monkeypatch.setattr(Writer, "keep", fail_once)
    kept = app.blocking.enqueue(declared.job("ada"))

    assert app.blocking.get(kept.id).state is State.PENDING
    assert app.blocking.stats()[State.PENDING] == 2


def test_a_commit_that_cannot_have_happened_is_told(
    app: Windlass, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = app.job(welcome)
    app.blocking.enqueue(declared.job("eve"))

    def fail(_self: Writer, _: Statement) -> None:
        raise StoreAway("the disk is full")

    monkeypatch.setattr(Writer, "keep", fail)
    with pytest.raises(StoreAway, match="disk is full"):
        app.blocking.enqueue(declared.job("ada"))

    assert app.blocking.stats()[State.PENDING] == 1


def test_a_forked_process_opens_its_own(app: Windlass, tmp_path: Path) -> None:
    declared, done = app.job(welcome), tmp_path / "done"
    for _ in range(3):
        app.blocking.enqueue(declared.job("parent"))

    child = os.fork()
    if child == 0:
        for _ in range(3):
            app.blocking.enqueue(declared.job("child"))
        done.touch()
        os._exit(0)
    os.waitpid(child, 0)
    app.blocking.enqueue(declared.job("parent"))

    assert done.exists()
    assert app.blocking.stats()[State.PENDING] == 7
