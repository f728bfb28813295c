"""Types of job of installed packages: real processes know them, and tell of broken ones."""

from pathlib import Path

import pytest

from tests.cli.standing import standing
from tests.cli.terminal import Terminal
from tests.packages import installed

GOOD = "def shout(text: str) -> str:\n    return text.upper()\n"
BAD = "raise RuntimeError('out of order')\n"


@pytest.fixture
def site(windlass: Terminal, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages that every process finds: one is good, one is broken."""
    site = tmp_path_factory.mktemp("site")
    installed(site, "acme-jobs", "shout = acme_jobs:shout", {"acme_jobs": GOOD})
    installed(site, "bad-jobs", "cry = bad_jobs:cry", {"bad_jobs": BAD})
    windlass.env["PYTHONPATH"] = str(site)
    return site


async def test_workers_run_what_packages_bring(windlass: Terminal, site: Path) -> None:
    async with standing(windlass, "up", workers=1) as server:
        submission = {"type": "shout", "payload": {"text": "ahoy"}}
        _, accepted = await server.ask("POST", "/jobs", submission)
        job = await server.finished(accepted["id"])
        misfit = await server.ask("POST", "/jobs", {"type": "shout", "payload": {"text": 3}})
        unknown = await server.ask("POST", "/jobs", {"type": "cry"})
        told = server.said("type of job cannot be had")

    assert (job["status"], job["result"]) == ("completed", "AHOY")
    assert (misfit[0], unknown[0]) == (422, 422)
    assert {(line["type"], line["package"], line["why"]) for line in told} == {
        ("cry", "bad-jobs 1.0", "RuntimeError: out of order")
    }
    assert {line["level"] for line in told} == {"WARNING"}


def test_the_doctor_tells_of_both(windlass: Terminal, site: Path) -> None:
    answer = windlass("doctor", "--json")

    good, bad = (each for each in answer.json["findings"] if each["check"] == "packages")
    assert answer.code == 0
    assert (good["verdict"], good["said"]) == ("ok", "bring job types: shout (acme-jobs 1.0)")
    assert bad["verdict"] == "warning"
    assert bad["said"] == (
        "job type 'cry' of bad-jobs 1.0 cannot be had: RuntimeError: out of order"
    )


def test_the_doctor_says_nothing_of_packages_where_there_are_none(windlass: Terminal) -> None:
    answer = windlass("doctor", "--json")

    assert "packages" not in [each["check"] for each in answer.json["findings"]]
