"""What the sides are compared by, in the order in which it is measured."""

from __future__ import annotations

from benchmarks.peers.measure import Measure
from benchmarks.peers.measures import (
    bulk,
    drain,
    drain_sync,
    effects,
    enqueue,
    idle,
    kill,
    mixed,
    pickup,
    retries,
)

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        enqueue.MEASURE,
        bulk.MEASURE,
        drain.MEASURE,
        drain_sync.MEASURE,
        mixed.MEASURE,
        retries.MEASURE,
        pickup.MEASURE,
        idle.MEASURE,
        kill.MEASURE,
        effects.MEASURE,
    )
}
