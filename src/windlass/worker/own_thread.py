"""Work on a thread with an event loop of its own, whatever the caller's loop is busy with."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from typing import Any

from windlass.worker.background import background


@asynccontextmanager
async def own_thread(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run the work on a thread while the block runs; if it fails, the block is cancelled."""
    aside = _Aside(work)
    thread = threading.Thread(target=aside.run, name="windlass-lease", daemon=True)
    thread.start()
    try:
        async with background(aside.watch()):
            yield
    finally:
        await aside.end()
        thread.join()  # all it had to do is done


class _Aside:
    def __init__(self, work: Coroutine[Any, Any, None]) -> None:
        self._work = work
        self._task: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[None]]] = Future()
        self._ended: Future[None] = Future()

    def run(self) -> None:
        try:
            asyncio.run(self._run())
        except BaseException as error:  # noqa: BLE001 — it is raised where somebody waits
            self._ended.set_exception(error)
        else:
            self._ended.set_result(None)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        task = loop.create_task(self._work)
        self._task.set_result((loop, task))
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()

    async def watch(self) -> None:
        await asyncio.shield(asyncio.wrap_future(self._ended))

    async def end(self) -> None:
        loop, task = await asyncio.wrap_future(self._task)
        with suppress(RuntimeError):  # its loop is closed: it ended by itself
            loop.call_soon_threadsafe(task.cancel)
        ended = asyncio.wrap_future(self._ended)
        await asyncio.wait([ended])
        ended.exception()  # raised already, where the block was
