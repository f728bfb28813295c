"""The metrics that the dashboard and the alerts ask for."""

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

from tests.deployment.compose import ROOT

WATCHING = ROOT / "deploy/helm/windlass/watching"
PARTS = re.compile(r"_(bucket|sum|count)$")


def dashboard() -> dict[str, Any]:
    """Grafana's."""
    found: dict[str, Any] = json.loads((WATCHING / "dashboard.json").read_text())
    return found


def rules() -> list[dict[str, Any]]:
    """Those by which somebody is woken."""
    alerts = yaml.safe_load((WATCHING / "alerts.yaml").read_text())
    return [rule for group in alerts["groups"] for rule in group["rules"]]


def queries() -> Iterator[str]:
    """Everything that Prometheus is asked."""
    yield from (rule["expr"] for rule in rules())
    for panel in dashboard()["panels"]:
        yield from (target["expr"] for target in panel.get("targets", ()))


def watched() -> set[str]:
    """The names of the metrics in them; a histogram is asked for in parts."""
    choices = [one.get("definition", "") for one in dashboard()["templating"]["list"]]
    texts = [*queries(), *choices]
    named = {name for text in texts for name in re.findall(r"\b(?:windlass|process)_\w+", text)}
    return {PARTS.sub("", name) for name in named}
