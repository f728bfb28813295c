"""What was sent by a worker that died before it could tell is sent again with the same ids."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from aiohttp import web

from tests.acceptance.fleet import START, surroundings
from tests.executors.receivers import Call, receiver
from tests.services.mail import mail_sink
from windlass import State, Windlass


@contextmanager
def node(folder: Path, **environ: str) -> Iterator[psutil.Process]:
    """A node with the built-in types, as `windlass worker` starts it."""
    with (folder / "node.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", START, "worker"],
            cwd=folder,
            env={**surroundings(), "WINDLASS_LEASE": "5s", **environ},
            stdin=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield psutil.Process(process.pid)
    finally:
        process.kill()
        process.wait()


def kill_workers(supervisor: psutil.Process) -> None:
    """Kill whatever works there; the supervisor starts others."""
    for worker in supervisor.children():
        with suppress(ProcessLookupError):
            os.kill(worker.pid, signal.SIGKILL)


@asynccontextmanager
async def front(url: str) -> AsyncIterator[Windlass]:
    """The app of who enqueues."""
    async with Windlass(url, builtins=True) as app:
        yield app


@pytest.mark.timeout(120)
async def test_a_webhook_is_called_again_with_the_same_ids(sqlite_url: str, tmp_path: Path) -> None:
    async with receiver() as taken, front(sqlite_url) as app:
        with node(tmp_path, WINDLASS_STORE=sqlite_url) as supervisor:

            async def answer(_: Call) -> web.Response:
                if len(taken.calls) == 1:
                    kill_workers(supervisor)
                    await asyncio.sleep(0.1)
                return web.Response()

            taken.answer = answer
            enqueued = await app.enqueue(
                app.job_of("webhook", {"url": taken.url, "body": {"event": "signed_up"}})
            )
            job = await app.wait(enqueued.id, timeout=60)

    assert job.state is State.COMPLETED, job
    assert len(taken.calls) == 2
    assert {call.headers["webhook-id"] for call in taken.calls} == {job.id}
    assert {call.headers["idempotency-key"] for call in taken.calls} == {job.id}
    assert len({call.body for call in taken.calls}) == 1


@pytest.mark.timeout(120)
async def test_mail_is_sent_again_with_the_same_id(sqlite_url: str, tmp_path: Path) -> None:
    async with mail_sink() as sink, front(sqlite_url) as app:
        url = f"smtp://127.0.0.1:{sink.port}"
        with node(tmp_path, WINDLASS_STORE=sqlite_url, WINDLASS_SMTP_URL=url) as supervisor:

            def answer() -> str:
                if not sink.taken:
                    kill_workers(supervisor)
                return "250 OK"

            sink.data_answer = answer
            payload = {"to": "ada@example.org", "subject": "Hello", "body": "World"}
            enqueued = await app.enqueue(app.job_of("email", payload))
            job = await app.wait(enqueued.id, timeout=60)

    assert job.state is State.COMPLETED, job
    assert len(sink.taken) == 2
    assert len({taken.message["Message-ID"] for taken in sink.taken}) == 1
    assert job.id in sink.taken[0].message["Message-ID"]
