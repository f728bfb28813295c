"""Every metric stands in docs/metrics.md, and nothing else does."""

import re
from pathlib import Path

from windlass.core.census import Census, Line
from windlass.observe.fleet import Figures, FleetMetrics
from windlass.observe.metrics import Metrics

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_every_metric_is_documented_and_every_documented_one_is_there() -> None:
    lines = [Line("default", "mail", 1)]
    fleet = FleetMetrics(Figures(totals=[], census=Census(counted_us=0, lines=lines)))
    families = [*fleet.collect(), *Metrics().registry.collect()]
    told = {
        family.name + ("_total" if family.type == "counter" else "")
        for family in families
        if family.name.startswith("windlass_")
    }

    tables = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    written = {name for line in tables for name in re.findall(r"`(windlass_\w+)`", line)}

    assert written == told
