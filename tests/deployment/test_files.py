"""What the files of a deployment say is what the program reads, and what is there."""

import fnmatch
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deployment.compose import ROOT, defaults, example, services, written
from tests.deployment.units import mistakes
from tests.deployment.variables import READ, named

DOCKERFILE = (ROOT / "Dockerfile").read_text()
OURS = {name for name, said in written()["services"].items() if "build" in said}
UNITS = sorted((ROOT / "deploy/systemd").glob("*.service"))
# Read by the images of others.
OF_OTHERS = {
    "postgres": {"POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_DB"},
    "redis": {"REDIS_PASSWORD"},
}


def test_our_services_are_told_what_the_program_reads() -> None:
    told = {name: set(services()[name]["environment"]) - READ for name in OURS}

    assert told == {name: set() for name in ("migrate", "api", "worker", "worker-1", "worker-2")}


@pytest.mark.parametrize("name", OF_OTHERS)
def test_the_services_of_others_are_told_the_same_as_ours(name: str) -> None:
    every = services({"POSTGRES_PASSWORD": "p", "REDIS_PASSWORD": "r"})

    theirs = every[name]["environment"]

    assert theirs.keys() == OF_OTHERS[name]
    assert theirs.items() <= every["api"]["environment"].items()


def test_the_example_sets_every_variable_of_compose_to_its_default() -> None:
    assert example() == defaults()


def test_the_page_about_it_names_every_variable_and_none_that_is_not_read() -> None:
    page = (ROOT / "docs/deployment.md").read_text()

    rows = re.findall(r"^\|((?: `[A-Z_0-9]+`,?)+) \|", page, re.MULTILINE)
    listed = {name for names in rows for name in re.findall(r"`(\w+)`", names)}

    assert named(page) <= READ
    assert set(defaults()) - listed == {"WINDLASS_VERSION", "WINDLASS_HOSTS", "WINDLASS_ORIGINS"}
    assert listed <= set(defaults())


def test_nothing_is_published_but_to_this_machine() -> None:
    ports = [port for said in services().values() for port in said.get("ports", ())]

    assert {"127.0.0.1:8080:8080", "127.0.0.1:5173:8080"} <= set(ports)
    assert {port.split(":")[0] for port in ports} == {"127.0.0.1"}


def test_more_workers_can_be_had_by_scale_besides_the_two() -> None:
    every = services({"WORKER_2_THREADS": "16"})

    assert every["worker"]["scale"] == 0
    assert "container_name" not in every["worker"]
    assert "ports" not in every["worker"]
    assert every["worker-1"]["environment"]["WINDLASS_THREADS"] == "4"
    assert every["worker-2"]["environment"]["WINDLASS_THREADS"] == "16"


def test_what_compose_mounts_is_there() -> None:
    mounts = [mount for said in services().values() for mount in said.get("volumes", ())]

    files = [mount.split(":")[0] for mount in mounts if mount.startswith("./")]

    assert files
    assert [file for file in files if not (ROOT / file).exists()] == []


def test_a_stop_takes_no_longer_than_docker_waits() -> None:
    api = services()["api"]

    assert api["environment"]["WINDLASS_DRAIN"] == "30s"
    assert api["stop_grace_period"] == "45s"


def test_the_image_is_built_from_what_is_there_and_not_ignored() -> None:
    copied = re.findall(r"^COPY (?!--from)(?:--\S+ )?(.+) \S+$", DOCKERFILE, re.MULTILINE)

    sources = [source for line in copied for source in line.split()]

    assert len(sources) > 5
    assert [source for source in sources if not (ROOT / source).exists()] == []
    assert [source for source in sources if not let_through(source)] == []


def test_secrets_caches_and_history_never_get_into_an_image() -> None:
    for name in (".env", ".git", ".venv", ".windlass/secret", "dashboard/node_modules", "tests"):
        assert not let_through(name)


def let_through(path: str) -> bool:
    """Whether .dockerignore leaves a path to the builder: the last line that fits decides."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    let = True
    for line in (line for line in lines if line and not line.startswith("#")):
        pattern = line.removeprefix("!").removeprefix("**/")
        heads = ["/".join(path.split("/")[:n]) for n in range(1, path.count("/") + 2)]
        names = [*heads, *path.split("/")] if "**/" in line else heads
        if any(fnmatch.fnmatch(name, pattern) for name in names):
            let = line.startswith("!")
    return let


def test_the_image_is_no_root_and_tells_the_program_what_it_reads() -> None:
    users = re.findall(r"^USER (.+)$", DOCKERFILE, re.MULTILINE)

    assert users == ["10001:10001"]
    assert {"WINDLASS_HOST", "WINDLASS_PORT"} <= named(DOCKERFILE) <= READ


def test_the_dockerfile_is_well_written() -> None:
    # It comes with the tools of the tests.
    hadolint = Path(sys.executable).with_name("hadolint")

    said = subprocess.run([hadolint, ROOT / "Dockerfile"], capture_output=True, check=False)

    assert (said.returncode, said.stdout) == (0, b"")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_tells_the_program_what_it_reads_and_stops_it_in_time(unit: Path) -> None:
    text = unit.read_text()

    assert named(text) <= READ
    assert "TimeoutStopSec=45" in text
    assert "KillMode=mixed" in text
    assert mistakes(unit.name, text) == []


@pytest.mark.parametrize(
    "wrong",
    [
        "Restrat=always",
        "Restart=sometimes",
        "TimeoutStopSec=a while",
        "ExecStart=windlass serve",
        "DynamicUser=maybe",
        "WantedBy=multi-user.target",
        "ExecStart=/opt/windlass/bin/windlass worker --name %i",
        "Environment",
    ],
)
def test_a_mistake_in_a_unit_is_found(wrong: str) -> None:
    assert mistakes("windlass.service", f"[Service]\nType=exec\n{wrong}\n") == [
        f"[Service] {wrong}"
    ]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not here")
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    for unit in UNITS:
        # An instance of its own, of a program that is there.
        text = unit.read_text().replace("/opt/windlass/bin/windlass", "/bin/true")
        (tmp_path / unit.name.replace("@", "@1")).write_text(text)

    said = subprocess.run(
        ["systemd-analyze", "verify", *tmp_path.iterdir()],  # noqa: S607 - as found
        capture_output=True,
        text=True,
        check=False,
    )

    assert (said.returncode, said.stderr) == (0, "")
