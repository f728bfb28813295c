"""Work on a thread of its own ends with the block, and the block with it."""

import asyncio
import threading

import pytest

from windlass.worker.own_thread import own_thread


async def test_the_work_runs_on_another_thread_while_this_loop_is_blocked() -> None:
    ran = threading.Event()

    async def work() -> None:
        ran.set()
        await asyncio.Event().wait()

    async with own_thread(work()):
        # Blocks this loop on purpose: only another thread can set it.
        assert ran.wait(5)


async def test_the_end_of_the_block_cancels_the_work_and_waits_for_it() -> None:
    entered, cleaned_up = threading.Event(), threading.Event()

    async def work() -> None:
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaned_up.set()

    async with own_thread(work()):
        assert entered.wait(5)

    assert cleaned_up.is_set()
    assert "windlass-lease" not in [thread.name for thread in threading.enumerate()]


async def test_work_that_fails_ends_the_block_with_its_error() -> None:
    async def work() -> None:
        raise ValueError("the work's own")

    async def wait() -> None:
        async with own_thread(work()):
            await asyncio.Event().wait()

    with pytest.raises(ValueError, match="the work's own"):
        await wait()
