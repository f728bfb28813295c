"""What can be measured, in the order in which it is."""

from __future__ import annotations

from benchmarks.measure import Measure
from benchmarks.measures import (
    chunks,
    claim_million,
    drain,
    drain_plain,
    enqueue_many,
    enqueue_one,
    growth,
    history,
    http,
    idle,
    payloads,
    pickup,
    queues,
    raw,
    redis,
    vacuum,
    webhooks,
    workers,
)

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        raw.MEASURE,
        drain.MEASURE,
        drain_plain.MEASURE,
        enqueue_many.MEASURE,
        enqueue_one.MEASURE,
        pickup.MEASURE,
        claim_million.MEASURE,
        growth.MEASURE,
        workers.MEASURE,
        queues.MEASURE,
        payloads.MEASURE,
        history.MEASURE,
        vacuum.MEASURE,
        idle.MEASURE,
        webhooks.MEASURE,
        chunks.MEASURE,
        *http.MEASURES,
        *redis.MEASURES,
    )
}

# Names that stand for several.
GROUPS: dict[str, tuple[str, ...]] = {
    name: tuple(measure.name for measure in group.MEASURES)
    for name, group in (("http", http), ("redis", redis))
}
