"""Virtual time passes without waiting, and a simulated process dies without a word."""

import asyncio

from tests.simulation.kernel import Kernel, Loop


def process(kernel: Kernel) -> Loop:
    """A process that does nothing yet."""
    return Loop(kernel, "process")  # type: ignore[abstract]


def test_a_day_passes_at_once() -> None:
    kernel = Kernel()
    loop = process(kernel)
    seen: list[float] = []

    async def wait() -> None:
        await asyncio.sleep(86_400)
        seen.append(loop.time())

    loop.start(wait())
    kernel.run(until=100_000)

    assert seen == [86_400]


def test_a_killed_process_cleans_nothing_up() -> None:
    kernel = Kernel()
    loop = process(kernel)
    seen: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(10)
        finally:
            seen.append("cleaned up")

    loop.start(work())
    kernel.at(5, loop.kill)
    kernel.run(until=100)

    assert seen == []
    loop.end()


def test_a_frozen_process_goes_on_where_it_was() -> None:
    kernel = Kernel()
    loop = process(kernel)
    seen: list[float] = []

    async def tick() -> None:
        for _ in range(3):
            await asyncio.sleep(1)
            seen.append(loop.time())

    loop.start(tick())
    kernel.at(1.5, loop.freeze)
    kernel.at(9.0, loop.thaw)
    kernel.run(until=100)

    assert seen == [1, 9, 10]
