"""Calls a server on many connections at once and times the answers: `python -m …` with `Calls`.

It shares the machine with the server, so it does as little as can be: requests are made
beforehand, and of an answer only the status and the length are read.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections import Counter
from itertools import cycle
from typing import cast

import msgspec
import uvloop

from benchmarks.http.calls import Answers, Calls

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
END = b"\r\n\r\n"
# Times are counted by tenths of a millisecond; whatever takes longer than the last counts there.
TENTHS = 300_000


class Load:
    """The calls that are still to be made, and the count of those that were."""

    def __init__(self, calls: Calls) -> None:
        self._requests = cycle(calls.requests)
        self._left = calls.count
        self._took = [0] * (TENTHS + 1)
        self.open = calls.connections
        self.bad: Counter[str] = Counter()
        self.over = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(calls.seconds, self.stop)

    def stop(self) -> None:
        """Make no more calls; those under way are waited for."""
        self._left = 0

    def next(self) -> bytes | None:
        """The next request, if there is one."""
        if not self._left:
            return None
        self._left -= 1
        return next(self._requests)

    def answered(self, seconds: float) -> None:
        """Count a good answer."""
        self._took[min(int(seconds * 10_000), TENTHS)] += 1

    def closed(self) -> None:
        """Count a connection that makes no more calls; the last one ends it all."""
        self.open -= 1
        if not self.open:
            self.over.set_result(None)

    def answers(self, seconds: float) -> Answers:
        """What it all came to."""
        good = sum(self._took)
        return Answers(
            good=good,
            bad=dict(self.bad),
            seconds=seconds,
            p50=self._within(good * 0.50),
            p99=self._within(good * 0.99),
            worst=self._within(good),
            cpu=time.process_time(),
        )

    def _within(self, share: float) -> float:
        """Milliseconds within which so many were answered."""
        seen = 0
        for tenths, count in enumerate(self._took):
            seen += count
            if seen >= share:
                return (tenths + 1) / 10
        return 0.0


class Connection(asyncio.Protocol):
    """Calls again as soon as it is answered."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._head = b""
        self._status = b""
        self._missing = 0  # bytes of the answer that are yet to come
        self._began = 0.0
        self._asking = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Call for the first time."""
        self._transport = cast("asyncio.Transport", transport)
        self._ask()

    def data_received(self, data: bytes) -> None:
        """Take a piece of an answer."""
        if self._missing:
            self._missing -= len(data)
        else:
            data = self._head + data
            end = data.find(END)
            if end < 0:
                self._head = data
                return
            self._head = b""
            self._status = data[9:12]
            self._missing = _length(data, end) - (len(data) - end - len(END))
        if not self._missing:
            self._answered()

    def connection_lost(self, exc: Exception | None) -> None:
        """Make no more calls; one under way was not answered."""
        if self._asking:
            self._load.bad[f"connection lost: {exc}"] += 1
        self._load.closed()

    def _ask(self) -> None:
        request = self._load.next()
        self._asking = request is not None
        if request is None:
            self._transport.close()
            return
        self._began = time.perf_counter()
        self._transport.write(request)

    def _answered(self) -> None:
        if self._status[:1] == b"2":
            self._load.answered(time.perf_counter() - self._began)
        else:
            self._load.bad[self._status.decode()] += 1
        self._ask()


def _length(data: bytes, end: int) -> int:
    found = LENGTH.search(data, 0, end)
    assert found is not None, "an answer without its length"
    return int(found[1])


async def make(calls: Calls) -> Answers:
    """Make the calls from this process."""
    load, loop = Load(calls), asyncio.get_running_loop()
    began = time.perf_counter()
    for _ in range(calls.connections):
        await loop.create_connection(lambda: Connection(load), "127.0.0.1", calls.port)
    await load.over
    return load.answers(time.perf_counter() - began)


if __name__ == "__main__":
    asked = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Calls)
    sys.stdout.buffer.write(msgspec.msgpack.encode(uvloop.run(make(asked))))
