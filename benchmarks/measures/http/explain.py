"""How long it takes to say why a job waits when very many do."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.http.alone import ask, figures, samples
from benchmarks.http.server import serving
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.measures.claim_million import CHUNK

AT = (
    "select cast(id as text) from windlass_jobs where lane = 'open'"
    " order by rank limit 1 offset {place}"
)
OPEN = 0.8  # the share of jobs that ask for no thread
# Which jobs are asked about: those that stand so far back in line, as a share of all.
PLACES = {"first": 0.0, "1 % back": 0.01, "half way": 0.5, "last": 0.999_999}


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """Jobs at several places."""
    waiting = bench.scale.pending
    async with bench.fresh() as site:
        for done in range(0, waiting, CHUNK):
            bench.say(f"{done:,} of {waiting:,} jobs waiting")
            site.ask_file("waiting")
        site.settle_down()
        async with serving(site) as server:
            for place, share in PLACES.items():
                bench.say(f"the job that is {place}")
                [(job,)] = site.ask(AT.format(place=int(share * waiting * OPEN)))
                answers = await ask(server, f"/jobs/{job}/explain")
                for sample in samples(_name(place), answers):
                    yield sample


def _name(place: str) -> str:
    return f"explain, {place} in line"


MEASURE = Measure(
    name="http_explain",
    figures=tuple(figure for place in PLACES for figure in figures(_name(place), ms=20)),
    take=take,
    once=True,
)
