"""What can be measured of Redis, each beside the same without it."""

from __future__ import annotations

from benchmarks.measures.redis import again, read, wake

MEASURES = (read.MEASURE, again.MEASURE, wake.MEASURE)
