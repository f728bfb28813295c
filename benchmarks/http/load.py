"""Calls a service for a while, and says what each call cost whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.http.calls import CONNECTIONS, Answers, Calls, call
from benchmarks.http.server import Server
from benchmarks.measure import Sample
from benchmarks.sites import Site

WARM_UP = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The answers, and µs of CPU time for each of them."""

    answers: Answers
    warm_up: int  # calls that were answered before
    server_cpu: float
    database_cpu: float

    def samples(self, name: str, site: Site, each: int = 1) -> Iterator[Sample]:
        """The figures of this name, when a call is for so many things."""
        yield Sample(name, self.answers.rate * each)
        yield Sample(f"{name}, p50", self.answers.p50)
        yield Sample(f"{name}, p99", self.answers.p99)
        yield Sample(f"{name}, server", self.server_cpu / each)
        if site.dialect is Dialect.POSTGRES:
            yield Sample(f"{name}, database", self.database_cpu / each)


async def load(
    site: Site,
    server: Server,
    requests: list[bytes],
    seconds: float,
    connections: int = CONNECTIONS,
) -> Loaded:
    """Call for so long on so many connections, after a moment in which nothing is counted."""
    calls = Calls(port=server.port, requests=requests, connections=connections, seconds=seconds)
    before = await call(calls.for_seconds(WARM_UP))
    served, stored = server.program.cpu(), site.cpu()
    answers = await call(calls)
    each = 1e6 / answers.good
    return Loaded(
        answers=answers,
        warm_up=before.good,
        server_cpu=(server.program.cpu() - served) * each,
        database_cpu=(site.cpu() - stored) * each,
    )


def figures(name: str, unit: str, rate: float, p99: float | None = None) -> tuple[Figure, ...]:
    """What `Loaded.samples` yields; on PostgreSQL it is asked to be that fast."""
    asked = {Dialect.POSTGRES: Bound(rate)}
    late = {} if p99 is None else {Dialect.POSTGRES: Bound(p99, at_most=True)}
    return (
        Figure(name=name, unit=f"{unit}/s", asked=asked),
        Figure(name=f"{name}, p50", unit="ms"),
        Figure(name=f"{name}, p99", unit="ms", asked=late),
        Figure(name=f"{name}, server", unit=f"µs CPU/{unit.removesuffix('s')}"),
        Figure(name=f"{name}, database", unit=f"µs CPU/{unit.removesuffix('s')}"),
    )
