"""Dashboard and alerts: they ask for metrics that there are, by labels that these have."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deployment.asked import calls, labels, understood
from tests.deployment.compose import services
from tests.deployment.watched import WATCHING, dashboard, queries, rules, watched
from windlass.core.census import Census, Line
from windlass.observe.fleet import Figures, FleetMetrics
from windlass.observe.metrics import Metrics


def told() -> dict[str, str]:
    """The names and kinds of the metrics that /metrics has."""
    lines = [Line("default", "mail", 1)]
    fleet = FleetMetrics(Figures(totals=[], census=Census(counted_us=0, lines=lines)))
    families = [*fleet.collect(), *Metrics().registry.collect()]
    return {
        f"{one.name}_total" if one.type == "counter" else one.name: one.type for one in families
    }


COUNTED = {name for name, kind in told().items() if kind != "gauge"} | {"process_cpu_seconds_total"}


def test_every_metric_that_is_watched_is_told() -> None:
    asked = watched()

    assert len(asked) > 25
    assert asked - set(told()) == set()


@pytest.mark.parametrize("text", sorted(set(queries())))
def test_prometheus_understands_what_it_is_asked_and_has_the_labels(text: str) -> None:
    asked = understood(text)

    assert labels(asked) <= {"queue", "type", "status", "chore", "instance", "job"}
    assert {about for does, about in calls(asked) if does in ("rate", "increase")} <= COUNTED
    assert not {about for does, about in calls(asked) if does == "deriv"} & COUNTED


@pytest.mark.parametrize(
    "wrong",
    [
        "sum by (queue) (windlass_store_up)",
        "max by (queue) (windlass_queue_depth) > max by (type) (windlass_jobs_dead_total)",
        "histogram_quantile(0.99, sum(rate(windlass_claim_seconds_bucket[1m])))",
        "rate(windlass_jobs_dead_total)",
        "sum by (type (windlass_jobs_dead_total)",
    ],
)
def test_a_wrong_question_is_found(wrong: str) -> None:
    with pytest.raises((ValueError, AssertionError)):
        labels(understood(wrong))


def test_alerts_and_legends_speak_of_labels_that_there_are() -> None:
    told = [(rule["expr"], str(rule["annotations"])) for rule in rules()]
    shown = [
        (target["expr"], target.get("legendFormat", ""))
        for panel in dashboard()["panels"]
        for target in panel.get("targets", ())
    ]

    for asked, words in told + shown:
        named = re.findall(r"\{\{ *(?:\$labels\.)?(\w+) *\}\}", words)
        assert set(named) <= labels(understood(asked)), words


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
def test_alerts_ring_when_they_should() -> None:
    for does, folder in (("check", WATCHING), ("test", Path(__file__).parent)):
        words = ["promtool", does, "rules", str(folder / "alerts.yaml")]
        subprocess.run(words, check=True)
