"""The Helm chart: its values, what its templates make of them, and what they tell the program."""

import json
import re
from typing import Any

import helm_python as helm
import jsonschema_rs
import pytest
import yaml

import windlass
from tests.deployment.compose import ROOT
from tests.deployment.variables import READ, named
from tests.deployment.watched import dashboard, rules
from windlass.config import SETTINGS
from windlass.wire.fleet import Load

CHART = ROOT / "deploy/helm/windlass"
TEMPLATES = {path.name: path.read_text() for path in sorted((CHART / "templates").iterdir())}
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text())
# Settings that the chart makes of other values, or that the image has.
OF_THE_CHART = {
    *("store", "redis", "secret", "app", "host", "port", "metrics"),
    *("processes", "slots", "threads", "queues", "drain"),
}
STORE = {"store": {"url": "postgresql://db/jobs"}}
# Everything that can be turned on.
WHOLE = {
    **STORE,
    "redis": {"url": "redis://cache"},
    "settings": {"retention": "30d"},
    "api": {"ingress": {"enabled": True, "className": "nginx", "tls": [{"secretName": "tls"}]}},
    "workers": {"mail": {"queues": ["mail", "post & parcels"], "autoscaling": {"enabled": True}}},
    "keda": {"tokenSecret": "keda"},
    "monitoring": {"enabled": True, "tokenSecret": "prometheus", "labels": {"release": "graphs"}},
}


def test_the_version_is_that_of_the_program() -> None:
    about = yaml.safe_load((CHART / "Chart.yaml").read_text())

    assert about["appVersion"] == about["version"] == windlass.__version__


def test_the_values_are_such_as_the_schema_takes() -> None:
    jsonschema_rs.validator_for(SCHEMA).validate(VALUES)


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


@pytest.mark.parametrize("values", [STORE, WHOLE], ids=["least", "whole"])
def test_helm_has_nothing_to_say_against_it(values: dict[str, Any]) -> None:
    report = helm.lint(CHART, values, strict=True)

    said = {message["error"] for message in report["messages"]}
    assert (said, report["errors"]) == ({"icon is recommended"}, [])


def test_the_least_is_an_api_workers_and_a_secret() -> None:
    made = sorted(kind for kind, _ in rendered(STORE))

    parts = ["PodDisruptionBudget", "Secret", "Service", "ServiceAccount"]
    assert made == ["Deployment", "Deployment", *parts]


def test_without_a_store_it_says_what_to_set() -> None:
    with pytest.raises(helm.HelmRenderError, match=r"set store\.url to your PostgreSQL"):
        rendered({})


def test_the_values_that_the_page_shows_make_what_it_says() -> None:
    made = rendered(shown())

    groups = {name.rpartition("-worker-")[2] for kind, name in made if kind == "Deployment"}
    assert groups == {"jobs-windlass-api", "default", "mail", "wide"}
    assert ("ScaledObject", "jobs-windlass-worker-mail") in made
    assert "Secret" not in {kind for kind, _ in made}


def test_no_pod_is_root_or_writes_anywhere_but_to_tmp() -> None:
    pods = [one["spec"]["template"]["spec"] for one in of_kind("Deployment", WHOLE)]

    assert {pod["securityContext"]["runAsUser"] for pod in pods} == {10001}
    for container in (one for pod in pods for one in pod["initContainers"] + pod["containers"]):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["volumeMounts"] == [{"name": "tmp", "mountPath": "/tmp"}]  # noqa: S108 - in a pod


def test_pods_are_told_what_the_program_reads_and_given_longer_than_they_drain() -> None:
    [worker] = [one for one in of_kind("Deployment", WHOLE) if "mail" in one["metadata"]["name"]]

    pod = worker["spec"]["template"]["spec"]
    told = {one["name"]: one["value"] for one in pod["containers"][0]["env"]}
    assert told.keys() <= READ
    assert told["WINDLASS_RETENTION"] == "30d"
    assert told["WINDLASS_QUEUES"] == "mail,post & parcels"
    assert (told["WINDLASS_DRAIN"], pod["terminationGracePeriodSeconds"]) == ("30s", 45)
    assert "replicas" not in worker["spec"]


def test_keda_asks_the_service_for_what_its_group_serves() -> None:
    [scaled], [service] = of_kind("ScaledObject", WHOLE), of_kind("Service", WHOLE)

    [trigger] = scaled["spec"]["triggers"]
    place = f"http://{service['metadata']['name']}.prod.svc:{service['spec']['ports'][0]['port']}"
    assert trigger["metadata"]["url"] == f"{place}/load?queues=mail%2Cpost+%26+parcels"
    assert trigger["metadata"]["valueLocation"] in Load.__struct_fields__
    [auth] = of_kind("TriggerAuthentication", WHOLE)
    assert trigger["authenticationRef"]["name"] == auth["metadata"]["name"]


def test_it_brings_the_alerts_and_the_dashboard_as_they_are() -> None:
    [rule], [graphs] = of_kind("PrometheusRule", WHOLE), of_kind("ConfigMap", WHOLE)

    assert [one for group in rule["spec"]["groups"] for one in group["rules"]] == rules()
    assert json.loads(graphs["data"]["windlass.json"]) == dashboard()


def of_kind(kind: str, values: dict[str, Any]) -> list[dict[str, Any]]:
    """What Helm makes of this kind."""
    return [one for (made, _), one in rendered(values).items() if made == kind]


def rendered(values: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """What Helm makes of the chart: the objects by kind and name."""
    with helm.Chart.load(CHART) as chart:
        chart.validate_schema(values)
        files = chart.render(values, name="jobs", namespace="prod")
    texts = [text for path, text in files.items() if path.endswith(".yaml")]
    objects = [one for text in texts for one in yaml.safe_load_all(text) if one]
    return {(one["kind"], one["metadata"]["name"]): one for one in objects}


def shown() -> dict[str, Any]:
    """The values on the page about it."""
    page = (ROOT / "docs/deployment.md").read_text()
    [text] = re.findall(r"```yaml\n(# values.yaml\n.*?)```", page, re.DOTALL)
    values: dict[str, Any] = yaml.safe_load(text)
    return values
