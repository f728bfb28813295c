"""What callers are to ask, and what came of it: sent from process to process."""

from __future__ import annotations

import asyncio
import sys

import msgspec

from benchmarks.program import ROOT

CONNECTIONS = 64


class CallsFailed(Exception):
    """Some call was not answered as it should have been, so the figures of the others are none."""


class Calls(msgspec.Struct, frozen=True, kw_only=True):
    """Requests to send in turns on many connections: for so many seconds, or so many of them."""

    port: int
    requests: list[bytes]
    connections: int = CONNECTIONS
    seconds: float = 3600.0
    count: int = 1 << 40

    def for_seconds(self, seconds: float) -> Calls:
        """The same for so long."""
        return msgspec.structs.replace(self, seconds=seconds)

    def for_count(self, count: int) -> Calls:
        """The same so many times."""
        return msgspec.structs.replace(self, count=count)


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """How many calls were answered well, and how fast; times are in milliseconds."""

    good: int
    bad: dict[str, int]  # by status, or by what happened instead
    seconds: float
    p50: float
    p99: float
    worst: float
    cpu: float  # seconds that the callers themselves have worked

    @property
    def rate(self) -> float:
        """Answers per second."""
        return self.good / self.seconds


async def call(calls: Calls) -> Answers:
    """Let a process of its own make the calls; each must be answered with success."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.http.caller"),
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    told, _ = await process.communicate(msgspec.msgpack.encode(calls))
    if process.returncode:
        raise CallsFailed(f"the caller ended with {process.returncode}")
    answers = msgspec.msgpack.decode(told, type=Answers)
    if answers.bad or not answers.good:
        raise CallsFailed(f"{answers.good} calls were answered well, but: {answers.bad}")
    return answers
