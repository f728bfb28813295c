"""Names are resolved as the system does, and one that hangs keeps no other waiting."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.waiting import until
from windlass.executors.names import AT_ONCE, SystemNames


@pytest.fixture
def hung(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names that hang: each that begins with `slow`."""
    looked_up: list[str] = []
    go = threading.Event()
    ask = socket.getaddrinfo

    def getaddrinfo(host: str, *rest: Any, **more: Any) -> Any:
        if host.startswith("slow"):
            looked_up.append(host)
            go.wait(10)
            raise socket.gaierror("no such name")
        return ask(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield looked_up
    go.set()


async def test_a_name_has_its_addresses() -> None:
    found = await SystemNames().resolve("localhost", 80, socket.AF_UNSPEC)

    assert {result["host"] for result in found} <= {"127.0.0.1", "::1"}
    assert {result["port"] for result in found} == {80}


@pytest.mark.parametrize("name", ["no.such.name.invalid", "a" * 64 + ".example", "."])
async def test_a_name_that_is_none_is_an_error(name: str) -> None:
    with pytest.raises(OSError, match=r"."):
        await SystemNames().resolve(name, 80)


async def test_names_that_hang_keep_no_other_waiting(hung: list[str]) -> None:
    names = SystemNames()
    slow = [asyncio.create_task(names.resolve(f"slow{number}")) for number in range(AT_ONCE - 1)]
    await until(lambda: len(hung) == AT_ONCE - 1)

    found = await names.resolve("127.0.0.1", 80)
    for task in slow:
        task.cancel()

    assert [result["host"] for result in found] == ["127.0.0.1"]


async def test_a_system_without_threads_to_spare_costs_no_later_name_its_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = SystemNames()

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", refuse)
        for _ in range(AT_ONCE):
            with pytest.raises(RuntimeError):
                await names.resolve("127.0.0.1", 80)

    async with asyncio.timeout(20):
        assert await names.resolve("127.0.0.1", 80)


async def test_a_name_that_nobody_waits_for_any_more_still_counts(hung: list[str]) -> None:
    names = SystemNames()
    for number in range(AT_ONCE):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(names.resolve(f"slow{number}"), 0.001)

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(names.resolve("127.0.0.1"), 0.05)

    assert len(hung) <= AT_ONCE
