"""Runs coroutines for threads that have no event loop."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine, Iterator
from concurrent import futures
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

from windlass.app.home import Home, Homes
from windlass.core.errors import BadInput, StoreAway
from windlass.running import running_loop

T = TypeVar("T")

# Whoever leaves a block in a hurry waits no longer than this for its end.
LEAVE_WITHIN = 5.0


class Bridge:
    """Takes coroutines of an app to an event loop in another thread.

    If the app is at home on a loop that runs, that is the one; else it is a loop in a background
    thread of the bridge's own.
    """

    def __init__(self, homes: Homes) -> None:
        """Start nothing yet."""
        self._homes = homes
        self._guard = threading.Lock()
        self._background: asyncio.AbstractEventLoop | None = None
        self._process = os.getpid()

    def at_hand(self) -> bool:
        """Whether there is no need to go anywhere: what is open serves this thread as it is."""
        home = self.near()
        return home is not None and home.at_once()

    def near(self) -> Home | None:
        """A home that is open in this process."""
        return self._homes.near() if self._process == os.getpid() else None

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Wait for the coroutine's answer."""
        loop = self._loop()
        try:
            return _answer(asyncio.run_coroutine_threadsafe(coroutine, loop), loop)
        finally:
            if loop.is_closed():
                with suppress(RuntimeError):  # what it would clear up there is gone with the loop
                    coroutine.close()

    @contextmanager
    def entered(self, block: AbstractAsyncContextManager[T]) -> Iterator[T]:
        """What the block gives; it is entered, and left, by one task on the event loop."""
        loop = self._loop()
        given: futures.Future[T] = futures.Future()
        left = asyncio.Event()
        running = asyncio.run_coroutine_threadsafe(_inside(block, given, left), loop)
        running.add_done_callback(partial(_not_entered, given))
        try:
            value = _answer(given, loop)
        except BaseException:
            running.cancel()
            raise
        try:
            yield value
        finally:
            with suppress(RuntimeError):  # a loop that is closed has left
                loop.call_soon_threadsafe(left.set)
            futures.wait([running], timeout=LEAVE_WITHIN)
        _answer(running, loop)

    def close(self) -> None:
        """End the background thread, with what the app has open there."""
        with self._guard:
            loop, self._background = self._background, None
        if loop is not None and self._process == os.getpid():
            try:
                _answer(asyncio.run_coroutine_threadsafe(self._homes.close(), loop), loop)
            finally:
                loop.call_soon_threadsafe(loop.stop)

    def _loop(self) -> asyncio.AbstractEventLoop:
        with self._guard:
            if self._process != os.getpid():
                self._begin_anew()
            home = self._homes.near()
            return self._background_loop() if home is None else home.loop

    def _background_loop(self) -> asyncio.AbstractEventLoop:
        if self._background is None:
            loop = asyncio.new_event_loop()
            threading.Thread(target=_run, args=[loop], name="windlass", daemon=True).start()
            self._background = loop
        return self._background

    def _begin_anew(self) -> None:
        """A fork copies the memory but not the thread, and connections must not be shared."""
        self._process = os.getpid()
        self._background = None
        self._homes.forget()


def refuse_on_a_loop() -> None:
    """Refuse to wait where an event loop would stand still meanwhile."""
    if running_loop() is None:
        return
    raise BadInput("app.blocking would halt this thread's event loop; here: await app.enqueue(…)")


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _inside(
    block: AbstractAsyncContextManager[T], given: futures.Future[T], left: asyncio.Event
) -> None:
    async with block as value:
        given.set_result(value)
        await left.wait()


def _not_entered(given: futures.Future[Any], running: futures.Future[None]) -> None:
    """Tell who waits for the block's value that there will be none."""
    if given.done():
        return
    if running.cancelled():
        given.cancel()
    else:
        given.set_exception(running.exception())


def _answer(future: futures.Future[T], loop: asyncio.AbstractEventLoop) -> T:
    try:
        _wait(future, loop)
    except BaseException:
        if not loop.is_closed():
            future.cancel()  # an interrupt ends what nobody waits for any more
        raise
    return future.result()


def _wait(future: futures.Future[Any], loop: asyncio.AbstractEventLoop) -> None:
    # A loop that is closed under us answers nobody; that is seen within a second.
    while not futures.wait([future], timeout=1).done:
        if loop.is_closed():
            raise StoreAway("the app's event loop ended before it answered", ambiguous=True)
