"""One caller that asks for the same thing again and again, so that nobody waits for another."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.http.calls import Answers, Calls, call
from benchmarks.http.server import Server
from benchmarks.measure import Sample

CALLS = 200


async def ask(server: Server, path: str) -> Answers:
    """Ask for what is there."""
    request = server.request("GET", path)
    return await call(Calls(port=server.port, requests=[request], connections=1, count=CALLS))


def samples(name: str, answers: Answers) -> Iterator[Sample]:
    """The figures of this name."""
    yield Sample(name, answers.p50)
    yield Sample(f"{name}, p99", answers.p99)


def figures(name: str, ms: float) -> Iterator[Figure]:
    """What `samples` yields. The median decides: whoever else uses the machine shows in the p99."""
    asked = dict.fromkeys(Dialect, Bound(ms, at_most=True))
    yield Figure(name=name, unit="ms", asked=asked)
    yield Figure(name=f"{name}, p99", unit="ms")
