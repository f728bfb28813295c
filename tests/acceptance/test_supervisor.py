"""When a supervisor is killed its workers die with it, and others take over."""

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Site
from tests.waiting import until

JOBS = 8


@pytest.mark.timeout(180)
async def test_another_node_takes_over_when_a_supervisor_is_killed(site: Site) -> None:
    # Nobody waits for it to run out: a file lock tells at once that its holder is dead.
    lease = "60s"
    gate = site.folder / "gate"
    kinds = (site.works.gated_effect, site.works.gated_isolated_effect)
    doomed = site.node(processes=2, lease=lease)
    await doomed.ready(2)
    await site.enqueue(*(kinds[number % 2].job(number, str(gate)) for number in range(JOBS)))
    await site.begun(JOBS)
    heir = site.node(lease=lease)
    await heir.ready()
    family = doomed.family()

    doomed.kill()
    await until(lambda: not any(process.is_running() for process in family), at_most=30)
    await until(lambda: heir.said("jobs reclaimed"), at_most=30)
    gate.touch()
    await site.all_finished()

    assert len(family) > 2  # two workers, and the processes in which they isolate jobs
    assert site.audit() == Audit()
