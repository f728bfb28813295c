"""What is open on an event loop is shared there, and closed by the last who uses it."""

import asyncio

from windlass.executors.per_loop import PerLoop


class Line:
    """Something to open."""

    def __init__(self) -> None:
        self.closed = 0

    async def close(self) -> None:
        """Count."""
        self.closed += 1


async def test_there_is_one_for_all_on_a_loop() -> None:
    lines = PerLoop(Line)

    async with lines.use() as one, lines.use() as other:
        assert one is other


def test_each_loop_has_its_own() -> None:
    lines = PerLoop(Line)

    async def get() -> Line:
        async with lines.use() as line:
            return line

    assert asyncio.run(get()) is not asyncio.run(get())


async def test_closing_nothing_opens_nothing() -> None:
    lines = PerLoop(Line)

    await lines.close()

    assert not lines._held


async def test_who_still_uses_it_may_finish_and_the_next_gets_another() -> None:
    lines = PerLoop(Line)

    async with lines.use() as old:
        await lines.close()
        before = old.closed
        async with lines.use() as new:
            assert new is not old

    assert before == 0
    assert old.closed == 1
    assert new.closed == 0


async def test_an_idle_one_is_closed_at_once_and_only_once() -> None:
    lines = PerLoop(Line)
    async with lines.use() as line:
        pass

    await lines.close()
    await lines.close()

    assert line.closed == 1
