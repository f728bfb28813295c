"""What can be measured of the service."""

from __future__ import annotations

from benchmarks.measures.http import batch, events, explain, history, memory, post, read

MEASURES = (
    post.MEASURE,
    batch.MEASURE,
    read.MEASURE,
    history.MEASURE,
    explain.MEASURE,
    events.MEASURE,
    memory.MEASURE,
)
