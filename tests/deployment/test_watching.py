"""Dashboard and alerts: they ask for metrics that there are, by labels that these have."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deployment.compose import services
from tests.deployment.watched import WATCHING, dashboard, expressions, rules, watched
from windlass.core.census import Census, Line
from windlass.observe.fleet import Figures, FleetMetrics
from windlass.observe.metrics import Metrics

DOCUMENTED = (WATCHING.parents[3] / "docs/metrics.md").read_text()


def told() -> set[str]:
    """The names of the metrics that /metrics has."""
    lines = [Line("default", "mail", 1)]
    fleet = FleetMetrics(Figures(totals=[], census=Census(counted_us=0, lines=lines)))
    families = [*fleet.collect(), *Metrics().registry.collect()]
    return {f"{one.name}_total" if one.type == "counter" else one.name for one in families}


def test_every_metric_that_is_watched_is_told() -> None:
    asked = watched()

    assert len(asked) > 25
    assert asked - told() == set()


def test_what_is_summed_by_queue_or_type_has_them() -> None:
    labels = dict(re.findall(r"^\| `(windlass_\w+)` \| ([\w, ]*) \|", DOCUMENTED, re.MULTILINE))

    for text in expressions():
        for names, metric in re.findall(r"by \(([\w, ]+)\) \((?:\w+\()?(windlass_\w+)", text):
            known = labels.get(metric, "worker, chore, instance, le, status, queue, type")
            assert set(names.split(", ")) <= {*known.split(", "), "instance", "le"}, text


def test_every_panel_has_a_place_of_its_own_and_says_what_it_shows() -> None:
    panels = [panel for panel in dashboard()["panels"] if panel["type"] != "row"]

    assert len({panel["id"] for panel in panels}) == len(panels)
    assert [panel["title"] for panel in panels if not panel.get("description")] == []
    taken = [cell for panel in dashboard()["panels"] for cell in cells(panel["gridPos"])]
    assert len(taken) == len(set(taken))


def cells(place: dict[str, int]) -> list[tuple[int, int]]:
    """The squares of the grid that a panel covers."""
    across, down = (
        range(place["x"], place["x"] + place["w"]),
        range(place["y"], place["y"] + place["h"]),
    )
    return [(x, y) for x in across for y in down]


def test_every_alert_says_how_bad_it_is_and_what_to_do() -> None:
    for rule in rules():
        assert re.fullmatch("Windlass[A-Z][A-Za-z]+", rule["alert"])
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"].keys() == {"summary", "description"}


def test_graphs_and_alerts_come_with_a_profile_of_compose() -> None:
    assert {name for name, said in services().items() if said.get("profiles")} == {
        "grafana",
        "prometheus",
    }


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not here")
@pytest.mark.parametrize(
    "words",
    [("check", WATCHING / "alerts.yaml"), ("test", Path(__file__).with_name("alerts.yaml"))],
    ids=["read", "rung"],
)
def test_alerts_are_understood_and_ring_when_they_should(words: tuple[str, Path]) -> None:
    does, file = words

    subprocess.run(["promtool", does, "rules", file], check=True)  # noqa: S607 - as found
