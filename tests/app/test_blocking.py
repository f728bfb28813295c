"""The same verbs for code without an event loop."""

import asyncio
import inspect
import os
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from windlass import State, Windlass
from windlass.app.blocking import Blocking
from windlass.app.verbs import Verbs
from windlass.core.errors import BadInput, StoreAway, UnknownJob


def welcome(user: str) -> str:
    """Greet somebody."""
    return user


@pytest.fixture
def app(store_url: str) -> Iterator[Windlass]:
    """An app that nobody uses on an event loop."""
    app = Windlass(store_url)
    yield app
    app.blocking.close()


def test_every_verb_is_there_and_has_the_same_arguments() -> None:
    verbs = {
        name: value
        for name, value in vars(Verbs).items()
        if inspect.iscoroutinefunction(value) and not name.startswith("_")
    }

    for name, verb in verbs.items():
        assert inspect.signature(getattr(Blocking, name)) == inspect.signature(verb)
        assert getattr(Blocking, name).__doc__ == verb.__doc__


def test_a_job_is_enqueued_and_read_without_a_loop(app: Windlass) -> None:
    declared = app.job(welcome)

    enqueued = app.blocking.enqueue(declared.job("ada"))
    app.blocking.enqueue_many([declared.job("eve")])

    assert app.blocking.get(enqueued.id).payload == {"user": "ada"}
    assert app.blocking.stats()[State.PENDING] == 2
    with pytest.raises(UnknownJob):
        app.blocking.get("42")


def test_many_threads_may_use_it_at_once(app: Windlass) -> None:
    declared = app.job(welcome)
    threads = [
        threading.Thread(target=lambda: app.blocking.enqueue(declared.job("ada")))
        for _ in range(20)
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert app.blocking.stats()[State.PENDING] == 20


def test_it_can_be_closed_and_used_again(app: Windlass) -> None:
    declared = app.job(welcome)
    app.blocking.enqueue(declared.job("ada"))

    app.blocking.close()
    app.blocking.close()
    app.blocking.enqueue(declared.job("eve"))

    assert app.blocking.stats()[State.PENDING] == 2


def test_a_program_may_call_asyncio_run_again_and_again(app: Windlass) -> None:
    declared = app.job(welcome)

    async def enqueue() -> None:
        await declared.enqueue("ada")
        await app.close()

    for _ in range(3):
        asyncio.run(enqueue())

    assert app.blocking.stats()[State.PENDING] == 3


def test_a_loop_that_was_closed_under_the_app_is_forgotten(sqlite_url: str) -> None:
    app = Windlass(sqlite_url)

    async def enqueue() -> None:
        await app.job(welcome).enqueue("ada")

    for _ in range(3):
        asyncio.run(enqueue())

    assert len(app._homes._homes) == 1
    assert app.blocking.stats()[State.PENDING] == 3
    app.blocking.close()


async def test_a_thread_beside_a_running_loop_uses_what_is_open_there(sqlite_url: str) -> None:
    async with Windlass(sqlite_url) as app:
        declared = app.job(welcome)

        enqueued = await asyncio.to_thread(app.blocking.enqueue, declared.job("ada"))

        assert (await app.get(enqueued.id)).state is State.PENDING
        assert len(app._homes._homes) == 1


async def test_on_a_loop_it_says_what_to_do_instead(sqlite_url: str) -> None:
    app = Windlass(sqlite_url)

    with pytest.raises(BadInput, match=r"await app\.enqueue"):
        app.blocking.stats()


def test_a_loop_that_ends_before_it_answers_is_noticed(sqlite_url: str) -> None:
    app = Windlass(sqlite_url)
    loop = asyncio.new_event_loop()
    stuck, asked = threading.Event(), threading.Event()

    async def hold_up() -> None:
        await app.stats()
        loop.call_soon_threadsafe = told  # type: ignore[assignment]
        stuck.set()
        asked.wait()  # nothing that is asked from now on has its turn

    def told(*_: Any, **__: Any) -> asyncio.Handle:
        asked.set()
        return asyncio.Handle(lambda: None, (), loop)

    def run() -> None:
        loop.run_until_complete(hold_up())
        loop.close()

    running = threading.Thread(target=run)
    running.start()
    stuck.wait()

    with pytest.raises(StoreAway, match="event loop ended before it answered"):
        app.blocking.stats()
    running.join()


@contextmanager
def at_home_elsewhere(app: Windlass, leave: threading.Event) -> Iterator[None]:
    """The app at home on the event loop of another thread, which ends when told to leave."""
    open_ = threading.Event()

    async def host() -> None:
        await app.stats()
        open_.set()
        await asyncio.to_thread(leave.wait)

    def run() -> None:
        loop = asyncio.new_event_loop()
        loop.run_until_complete(host())
        loop.close()

    running = threading.Thread(target=run)
    running.start()
    open_.wait()
    yield
    leave.set()
    running.join()


def test_a_loop_that_ends_in_the_middle_is_told_of_once(
    sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    app = Windlass(sqlite_url)
    asked = threading.Event()

    async def ask() -> None:
        asked.set()
        await asyncio.Event().wait()

    with (
        at_home_elsewhere(app, asked),
        pytest.raises(StoreAway, match="event loop ended before it answered"),
    ):
        app.blocking.bridge.run(ask())

    assert "exception calling callback" not in caplog.text


def test_what_cannot_clear_up_without_its_loop_is_told_of_all_the_same(sqlite_url: str) -> None:
    app = Windlass(sqlite_url)
    asked = threading.Event()

    async def ask() -> None:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.to_thread(asked.clear)

    with (
        at_home_elsewhere(app, asked),
        pytest.raises(StoreAway, match="event loop ended before it answered"),
    ):
        app.blocking.bridge.run(ask())


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Programs in the background of a shell ignore an interrupt, and so would these tests there."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_what_an_interrupted_program_waited_for_goes_on_no_longer(sqlite_url: str) -> None:
    app = Windlass(sqlite_url)
    ended = threading.Event()

    async def wait() -> None:
        # Later, when the program waits for the answer and does nothing else.
        asyncio.get_running_loop().call_later(0.5, os.kill, os.getpid(), signal.SIGINT)
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    with pytest.raises(KeyboardInterrupt):
        app.blocking.bridge.run(wait())

    assert ended.wait(20)
    app.blocking.close()


def test_a_close_that_fails_ends_the_thread_all_the_same(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = Windlass(sqlite_url)
    thread = app.blocking.bridge.run(_thread_of(app))

    async def fail() -> None:
        raise StoreAway("gone")

    monkeypatch.setattr(app._homes, "close", fail)
    with pytest.raises(StoreAway):
        app.blocking.close()

    thread.join(20)
    assert not thread.is_alive()


async def _thread_of(app: Windlass) -> threading.Thread:
    await app.stats()
    return threading.current_thread()


def test_a_forked_process_opens_its_own(sqlite_url: str, tmp_path: Path) -> None:
    app = Windlass(sqlite_url)
    declared = app.job(welcome)
    app.blocking.enqueue(declared.job("parent"))
    done = tmp_path / "done"

    child = os.fork()
    if child == 0:
        app.blocking.enqueue(declared.job("child"))
        done.touch()
        os._exit(0)
    os.waitpid(child, 0)

    assert done.exists()
    assert app.blocking.stats()[State.PENDING] == 2
    app.blocking.close()


def test_a_plain_connection_is_used_in_the_callers_thread(sqlite_url: str) -> None:
    app = Windlass(sqlite_url)
    declared = app.job(welcome)
    app.blocking.stats()
    # sqlite3 refuses a connection in any thread but its own.
    connection = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))

    enqueued = app.blocking.enqueue(declared.job("ada"), connection=connection)
    with pytest.raises(UnknownJob):
        app.blocking.get(enqueued.id)
    connection.commit()

    assert app.blocking.get(enqueued.id).state is State.PENDING
    connection.close()
    app.blocking.close()
