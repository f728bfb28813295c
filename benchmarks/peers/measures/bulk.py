"""How fast a side takes jobs by the thousand; without such a call, with many awaits at once."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.peers.measure import Bench, Figure, Measure, Sample
from benchmarks.peers.measures.enqueue import PLENTY

AT_ONCE = "†"


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """No worker runs meanwhile."""
    async with bench.fresh() as stage:
        can = await stage.ask("prepare")
        if can["bulk"] == "none":
            yield Sample("bulk", None, "no bulk call")
            return
        bench.say("by the thousand")
        sent = await stage.ask("enqueue_many", "noop", str(PLENTY), str(bench.scale.sending))
    note = AT_ONCE if can["bulk"] == "concurrent" else ""
    yield Sample("bulk", sent["jobs"] / sent["seconds"], note)


MEASURE = Measure(
    name="bulk",
    figures=(Figure("bulk", "in bulk", "jobs/s", "more"),),
    take=take,
)
