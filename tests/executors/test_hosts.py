"""Hosts get their share and rest when they fail; who would wait in vain for one steps back."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from tests.embedded import OwnClock
from windlass.clock import SystemChance
from windlass.executors.base import Retry, Snooze
from windlass.executors.breaker import FAILURES, REST
from windlass.executors.hosts import AT_ONCE, KNOWN, Host, Hosts


class NoChance(SystemChance):
    """Spreads nothing."""

    def random(self) -> float:
        """The least."""
        return 0.0


@pytest.fixture
def clock() -> OwnClock:
    return OwnClock()


@pytest.fixture
def host(clock: OwnClock) -> Host:
    return Host("hooks.example:443", clock, NoChance())


async def fill(host: Host, stack: AsyncExitStack) -> None:
    """Take every turn that there is."""
    for _ in range(AT_ONCE):
        await stack.enter_async_context(host.turn())


async def take(host: Host) -> None:
    """Take one turn, and end it."""
    async with host.turn():
        return


async def test_a_host_that_is_slow_keeps_nobody_waiting(host: Host, clock: OwnClock) -> None:
    async with AsyncExitStack() as stack:
        await fill(host, stack)
        clock.advance(60)

        with pytest.raises(Snooze) as stepped_back:
            await take(host)

    assert stepped_back.value.delay == 1


async def test_who_steps_back_stays_away_for_as_long_as_the_host_needs(
    host: Host, clock: OwnClock
) -> None:
    delays = []
    async with AsyncExitStack() as stack:
        await fill(host, stack)
        clock.advance(60)
        for _ in range(2):
            host.answered()
        for _ in range(100):
            with pytest.raises(Snooze) as stepped_back:
                await asyncio.gather(*(take(host) for _ in range(3)))
            delays.append(stepped_back.value.delay)

    assert delays[0] == 1
    assert delays[-1] == 30
    assert delays == sorted(delays)


async def test_who_steps_back_from_a_host_just_met_comes_back_soon(
    host: Host, clock: OwnClock
) -> None:
    async with AsyncExitStack() as stack:
        await fill(host, stack)
        clock.advance(0.2)

        ended = await asyncio.gather(*(take(host) for _ in range(50)), return_exceptions=True)

    assert {one.delay for one in ended if isinstance(one, Snooze)} == {1}


async def test_a_host_that_answers_in_time_may_be_waited_for(host: Host, clock: OwnClock) -> None:
    async with AsyncExitStack() as stack:
        await fill(host, stack)
        clock.advance(60)
        for _ in range(5):
            host.answered()
        waiting = [asyncio.create_task(take(host)) for _ in range(5)]
        await asyncio.sleep(0)

    await asyncio.gather(*waiting)


async def test_a_burst_to_a_host_that_is_new_may_wait(host: Host) -> None:
    async with AsyncExitStack() as stack:
        await fill(host, stack)
        waiting = [asyncio.create_task(take(host)) for _ in range(200)]
        await asyncio.sleep(0)

    await asyncio.gather(*waiting)


async def test_the_first_rest_costs_nobody_an_attempt(host: Host) -> None:
    for _ in range(FAILURES):
        host.failed()

    with pytest.raises(Snooze) as put_off:
        await take(host)

    assert put_off.value.delay == REST


async def test_a_host_that_is_away_for_longer_costs_an_attempt(host: Host, clock: OwnClock) -> None:
    for _ in range(FAILURES):
        host.failed()
    clock.advance(REST)
    await take(host)
    host.failed()

    with pytest.raises(Retry, match=r"hooks.example:443 did not answer the last 6") as refused:
        await take(host)

    assert refused.value.after == REST


async def test_a_host_that_is_well_again_is_called_by_all(host: Host, clock: OwnClock) -> None:
    for _ in range(FAILURES):
        host.failed()
    clock.advance(REST)
    async with host.turn():
        with pytest.raises(Snooze):
            await take(host)
        host.answered()

    await asyncio.gather(*(take(host) for _ in range(5)))


async def test_an_error_gives_the_turn_back(host: Host) -> None:
    for _ in range(3 * AT_ONCE):
        with pytest.raises(RuntimeError):
            async with host.turn():
                raise RuntimeError

    assert host.forgettable


def test_hosts_that_were_not_met_lately_are_forgotten(clock: OwnClock) -> None:
    hosts = Hosts(clock, NoChance())
    ill = hosts.at("ill")
    ill.failed()
    well = hosts.at("well")
    for number in range(KNOWN - 1):
        hosts.at(str(number))

    assert hosts.at("ill") is ill
    assert hosts.at("well") is not well
    assert len(hosts._known) <= KNOWN
