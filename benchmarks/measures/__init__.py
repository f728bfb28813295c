"""What can be measured, in the order in which it is."""

from __future__ import annotations

from benchmarks.measure import Measure
from benchmarks.measures import raw

MEASURES: dict[str, Measure] = {measure.name: measure for measure in (raw.MEASURE,)}
