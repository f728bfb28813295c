"""Dashboard and alerts: they ask for metrics that there are, by labels that these have."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.deployment.asked import calls, labels, understood
from tests.deployment.compose import services
from tests.deployment.watched import WATCHING, dashboard, queries, rules, watched
from windlass.core.census import Census, Line
from windlass.observe.fleet import Figures, FleetMetrics
from windlass.observe.metrics import Metrics

with_promtool = pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not here")


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


@with_promtool
def test_alerts_ring_when_they_should() -> None:
    for does, folder in (("check", WATCHING), ("test", Path(__file__).parent)):
        words = ["promtool", does, "rules", str(folder / "alerts.yaml")]
        subprocess.run(words, check=True)


# What /metrics told each minute, `_` being nothing, and how many have died in the last hour then.
LAST_HOURS = {
    "a counter that was there counts": ("1x200", "0x70 3x130", "90m", 3),
    "the first comes along with its counter": ("1x200", "_x70 1x130", "72m", 1),
    "for an hour": ("1x200", "_x70 1x130", "129m", 1),
    "and no longer": ("1x200", "_x70 1x130", "131m", 0),
    "others after it count, too": ("1x200", "_x70 1x5 2x125", "90m", 2),
    "also when watching began just now": ("1x200", "_x5 1x195", "10m", 1),
    "what died before anybody watched does not": ("1x200", "7x200", "10m", 0),
    "nor after an outage": ("1x70 0x5 1x125", "7x70 stale _x5 7x125", "90m", 0),
    "nor a restart": ("1x70 stale _x5 1x125", "7x70 stale _x5 7x125", "90m", 0),
}


@with_promtool
def test_the_dead_of_the_last_hour_are_counted(tmp_path: Path) -> None:
    counted = 'windlass_jobs_dead_total{queue="mail",type="email"}'
    # Rounded: an increase is told to the ends of its hour, beyond what was seen.
    asked = f"round({shown_by('Dead letters, last hour').replace('$queue', 'mail')})"
    cases = []
    for name, (up, dead, minute, shown) in LAST_HOURS.items():
        played = [
            {"series": "windlass_store_up", "values": up},
            {"series": counted, "values": dead},
        ]
        wanted = [{"labels": "{}", "value": shown}]
        expected = [{"expr": asked, "eval_time": minute, "exp_samples": wanted}]
        cases += [
            {
                "name": name,
                "interval": "1m",
                "input_series": played,
                "promql_expr_test": expected,
            }
        ]
    (tmp_path / "cases.yaml").write_text(yaml.safe_dump({"tests": cases}))

    words = ["promtool", "test", "rules", str(tmp_path / "cases.yaml")]
    subprocess.run(words, check=True)


def shown_by(title: str) -> str:
    """What the panel of this title asks for."""
    [panel] = (one for one in dashboard()["panels"] if one["title"] == title)
    [target] = panel["targets"]
    return str(target["expr"])
