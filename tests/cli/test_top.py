"""`windlass top`: what it shows of a real store, and what its keys do there."""

import os
import pty
import select
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot
from textual.widgets import DataTable, Input, Static

from tests.cli.terminal import PATIENCE, WINDLASS, Terminal
from tests.waiting import until
from windlass import Windlass
from windlass.cli.top.screen import Top, cursor
from windlass.core.job import State

SIZE = (140, 40)
OFTEN = 0.1


@pytest.fixture
async def app(sqlite_url: str) -> AsyncIterator[Windlass]:
    """An app with two types, and nobody who runs their jobs."""
    async with Windlass(sqlite_url) as made:

        @made.job
        async def greet(user: str) -> None: ...

        @made.job
        async def walk(steps: int) -> None: ...

        yield made


@asynccontextmanager
async def watching(app: Windlass, query: str = "") -> AsyncIterator[tuple[Top, Pilot[None]]]:
    """Somebody in front of the screen, who has seen the first look."""
    top = Top(app, query=query, every=OFTEN)
    async with top.run_test(size=SIZE) as pilot:
        await until(lambda: "completed" in said(top, "states"), at_most=PATIENCE)
        yield top, pilot


def said(top: Top, where: str) -> str:
    """What stands there."""
    return str(top.query_one(f"#{where}", Static).content)


def shown(top: Top, name: str) -> list[list[str]]:
    """The lines of a table."""
    table = top.query_one(f"#{name}-table", DataTable)
    return [[str(cell) for cell in table.get_row_at(place)] for place in range(table.row_count)]


async def test_it_counts_the_jobs_and_lists_queues_and_what_is_wrong(app: Windlass) -> None:
    await app.enqueue(await app.draft("greet", {"user": "ada"}, queue="mail"))

    async with watching(app) as (top, _):
        await until(lambda: shown(top, "queues"), at_most=PATIENCE)
        [queue] = shown(top, "queues")
        states, wrong = said(top, "states"), said(top, "incidents")

    assert "pending 1" in states
    assert queue[:2] == ["mail", "1"]
    assert "no worker is alive" in wrong


async def test_a_queue_is_paused_and_let_go_on_by_one_key(app: Windlass) -> None:
    await app.enqueue(await app.draft("greet", {"user": "ada"}, queue="mail"))

    async with watching(app) as (top, pilot):
        await until(lambda: shown(top, "queues"), at_most=PATIENCE)
        await pilot.press("p")
        await until(lambda: "paused" in shown(top, "queues")[0][-1], at_most=PATIENCE)
        await pilot.press("p")
        await until(lambda: "paused" not in shown(top, "queues")[0][-1], at_most=PATIENCE)

    assert [queue.paused_at for queue in await app.queues()] == [None]


async def test_a_job_is_searched_for_opened_and_cancelled(app: Windlass) -> None:
    await app.enqueue(await app.draft("greet", {"user": "ada"}, queue="mail"))
    wanted = await app.enqueue(await app.draft("walk", {"steps": 2}, queue="slow"))

    async with watching(app) as (top, pilot):
        await pilot.press("slash", *"type:walk", "enter")
        await until(lambda: [row[0] for row in shown(top, "jobs")] == [wanted.id], at_most=PATIENCE)
        await pilot.press("enter")
        await until(lambda: len(top.screen_stack) == 2, at_most=PATIENCE)
        await pilot.press("escape")
        await pilot.press("c")
        await until(lambda: "cancelled" in shown(top, "jobs")[0][1], at_most=PATIENCE)

    assert (await app.get(wanted.id)).state is State.CANCELLED


async def test_the_cursor_stays_on_its_job_when_newer_ones_come(app: Windlass) -> None:
    held = await app.enqueue(await app.draft("greet", {"user": "ada"}))

    async with watching(app, "type:greet") as (top, _):
        await until(lambda: len(shown(top, "jobs")) == 1, at_most=PATIENCE)
        await app.enqueue(await app.draft("greet", {"user": "bob"}))
        await until(lambda: len(shown(top, "jobs")) == 2, at_most=PATIENCE)
        under = cursor(top.query_one("#jobs-table", DataTable))

    assert under == held.id


async def test_what_cannot_be_done_is_said_and_changes_nothing(app: Windlass) -> None:
    waiting = await app.enqueue(await app.draft("greet", {"user": "ada"}))

    async with watching(app, "type:greet") as (top, pilot):
        await until(lambda: shown(top, "jobs"), at_most=PATIENCE)
        await pilot.press("r")
        await until(lambda: list(top._notifications), at_most=PATIENCE)

    assert (await app.get(waiting.id)).state is State.PENDING


async def test_a_query_that_is_none_is_told_in_words(app: Windlass) -> None:
    async with watching(app) as (top, pilot):
        await pilot.press("slash", *"status:asleep", "enter")
        await until(lambda: "asleep" in said(top, "incidents"), at_most=PATIENCE)
        await pilot.press("slash")
        top.query_one("#query", Input).value = ""
        await pilot.press("enter")
        await until(lambda: "asleep" not in said(top, "incidents"), at_most=PATIENCE)


def test_it_takes_the_terminal_and_gives_it_back(windlass: Terminal) -> None:
    ours, theirs = pty.openpty()
    env = {**windlass.env, "TERM": "xterm-256color"}
    top = subprocess.Popen(
        [WINDLASS, "top"], cwd=windlass.folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)

    try:
        seen = read_until(ours, "nothing is wrong")
        os.write(ours, b"q")
        read_until(ours, "\x1b[?1049l")
        code = top.wait(PATIENCE)
    finally:
        top.kill()
        os.close(ours)

    assert code == 0
    assert "Queues" in seen


def test_without_a_terminal_it_says_what_a_program_should_ask(windlass: Terminal) -> None:
    answer = windlass("top")

    assert answer.code == 2
    assert "windlass stats --json" in answer.err


def read_until(screen: int, words: str) -> str:
    """What came until these words did."""
    seen = ""
    while words not in seen:
        assert select.select([screen], [], [], PATIENCE)[0], seen
        seen += os.read(screen, 65536).decode(errors="replace")
    return seen
