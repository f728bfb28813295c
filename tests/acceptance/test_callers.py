"""Callers that enqueue by plain calls are killed, and workers too; what was kept runs once."""

import random
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.caller import Notes
from tests.acceptance.fleet import ROOT, Node, Site, surroundings
from tests.faults.dose import dose
from tests.waiting import until

KILLS = dose(short=8, full=100)
CALLERS = 2
# So many jobs are kept between two kills, or about so many.
APART = 60
MANY = 1_000_000  # numbers for each caller


@pytest.mark.timeout(dose(short=180, full=900))
async def test_what_killed_callers_were_told_is_kept_and_runs_once(
    site: Site, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    chance, numbers = random.Random(3), count(0, MANY)
    notes = Notes(tmp_path / "notes")
    notes.path.touch()
    node = start(site)
    callers = [call(site, notes, next(numbers)) for _ in range(CALLERS)]

    for kill in range(KILLS):
        await more(notes, chance.randrange(APART, 2 * APART))
        if kill % 4 == 3:
            node.kill()
            node = start(site)
        else:
            victim = callers.pop(0)
            victim.kill()
            victim.wait()
            callers.append(call(site, notes, next(numbers)))
    for caller in callers:
        caller.kill()
        caller.wait()
    site.asked, site.accepted = notes.asked(), notes.accepted()
    await site.all_finished()

    record_property("jobs kept", len(site.accepted))
    record_property("asked for and never answered", len(site.asked - site.accepted))
    assert site.audit() == Audit()
    assert {job.id for job in site.books.finished()} >= site.accepted


async def more(notes: Notes, jobs: int) -> None:
    """Wait until so many more jobs were kept."""
    enough = len(notes.accepted()) + jobs
    await until(lambda: len(notes.accepted()) >= enough)


def start(site: Site) -> Node:
    """A worker whose death is found out during the test."""
    return site.node(slots=8, lease="5s")


def call(site: Site, notes: Notes, first: int) -> subprocess.Popen[bytes]:
    """A caller with numbers of its own."""
    words = (site.url, str(notes.path), str(first))
    return subprocess.Popen(
        [sys.executable, "-m", "tests.acceptance.caller", *words], cwd=ROOT, env=surroundings()
    )
