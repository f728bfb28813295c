"""The Helm chart: its values, what its templates make of them, and what they tell the program."""

import json
import re
import shutil
import subprocess
from typing import Any

import jsonschema_rs
import pytest
import yaml

import windlass
from tests.deployment.compose import ROOT
from tests.deployment.variables import READ, named
from windlass.config import SETTINGS

CHART = ROOT / "deploy/helm/windlass"
TEMPLATES = {path.name: path.read_text() for path in sorted((CHART / "templates").iterdir())}
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text())
# Settings that the chart makes of other values, or that the image has.
OF_THE_CHART = {
    *("store", "redis", "secret", "app", "host", "port", "metrics"),
    *("processes", "slots", "threads", "queues", "drain"),
}
# Everything that can be turned on.
WHOLE = {
    "store.url": "postgresql://db/jobs",
    "api.ingress.enabled": "true",
    "workers.mail.autoscaling.enabled": "true",
    "workers.mail.queues[0]": "mail",
    "keda.tokenSecret": "keda",
    "monitoring.enabled": "true",
    "monitoring.tokenSecret": "prometheus",
}


def test_the_version_is_that_of_the_program() -> None:
    about = yaml.safe_load((CHART / "Chart.yaml").read_text())

    assert about["appVersion"] == about["version"] == windlass.__version__


def test_the_values_are_such_as_the_schema_takes() -> None:
    jsonschema_rs.validator_for(SCHEMA).validate(VALUES)


def test_the_values_that_the_page_shows_are_such_too() -> None:
    page = (ROOT / "docs/deployment.md").read_text()

    [shown] = re.findall(r"```yaml\n(# values.yaml\n.*?)```", page, re.DOTALL)

    jsonschema_rs.validator_for(SCHEMA).validate(yaml.safe_load(shown))


@pytest.mark.parametrize(
    "wrong",
    [
        {"store": {"url": "sqlite:///jobs.db"}},
        {"secret": "short"},
        {"replicas": 3},
        {"workers": {}},
        {"workers": {"Mail!": {}}},
        {"workers": {"mail": {"queue": "mail"}}},
        {"worker": {"autoscaling": {"min": 0}}},
        {"app": "shop"},
        {"settings": {"retension": "30d"}},
    ],
)
def test_wrong_values_are_refused(wrong: dict[str, Any]) -> None:
    assert not jsonschema_rs.validator_for(SCHEMA).is_valid(wrong)


def test_the_schema_knows_the_values_and_no_others() -> None:
    assert set(SCHEMA["properties"]) - {"global"} == set(VALUES)
    assert set(SCHEMA["definitions"]["worker"]["properties"]) == set(VALUES["worker"])
    scaling = SCHEMA["definitions"]["autoscaling"]["properties"]
    assert set(scaling) == set(VALUES["worker"]["autoscaling"])


def test_settings_are_those_of_the_program_that_have_no_value_of_their_own() -> None:
    taken = SCHEMA["properties"]["settings"]["propertyNames"]["enum"]

    assert set(taken) | OF_THE_CHART == set(SETTINGS)
    assert not set(taken) & OF_THE_CHART


def test_templates_ask_for_values_that_there_are() -> None:
    asked = {
        path for text in TEMPLATES.values() for path in re.findall(r"\.Values\.([\w.]+)", text)
    }
    asked |= {
        f"worker.{path}" for path in re.findall(r"\$worker\.([\w.]+)", TEMPLATES["workers.yaml"])
    }

    assert len(asked) > 20
    assert sorted(path for path in asked if not is_there(path)) == []


def is_there(path: str) -> bool:
    """Whether the defaults have a value here."""
    here: Any = VALUES
    for part in path.split("."):
        if not isinstance(here, dict) or part not in here:
            return False
        here = here[part]
    return True


def test_templates_tell_the_program_what_it_reads() -> None:
    told = named(" ".join(TEMPLATES.values())) | named((CHART / "values.yaml").read_text())

    assert {"WINDLASS_STORE", "WINDLASS_SECRET", "WINDLASS_QUEUES"} <= told <= READ


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_block_of_a_template_ends(name: str) -> None:
    text = TEMPLATES[name]

    opened = re.findall(r"\{\{-?\s*(?:if|range|with|define)\b", text)
    ended = re.findall(r"\{\{-?\s*end\b", text)

    assert len(opened) == len(ended)


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_templates_include_what_is_defined(name: str) -> None:
    defined = set(re.findall(r'define "([^"]+)"', TEMPLATES["_names.tpl"]))

    assert set(re.findall(r'include "([^"]+)"', TEMPLATES[name])) <= defined


@pytest.mark.skipif(not shutil.which("helm"), reason="helm is not here")
def test_helm_makes_the_same_of_it() -> None:
    chosen = [word for name, value in WHOLE.items() for word in ("--set", f"{name}={value}")]

    made = subprocess.run(
        ["helm", "template", "windlass", CHART, *chosen],  # noqa: S607 - as found
        capture_output=True,
        text=True,
        check=True,
    )

    kinds = [one["kind"] for one in yaml.safe_load_all(made.stdout) if one]
    assert kinds.count("Deployment") == 3
    assert {"Secret", "Service", "Ingress", "ScaledObject", "PrometheusRule"} <= set(kinds)
