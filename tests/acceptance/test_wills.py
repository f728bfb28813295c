"""Whoever is killed between the end of a job and its commit has ended it all the same."""

import psutil
import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Node, Site
from tests.waiting import until
from windlass.core.job import WorkerId
from windlass.store.wills import Wills

JOBS = 20


@pytest.mark.timeout(120)
@pytest.mark.parametrize("victim", ["all of it", "its worker"])
async def test_what_had_ended_before_a_kill_is_not_done_again(site: Site, victim: str) -> None:
    gate = site.folder / "gate"
    node = site.node(slots=JOBS, lease="5s")
    await site.enqueue(*(site.works.gated_toil.job(n, str(gate)) for n in range(JOBS)))
    await site.begun(JOBS)

    async with site.books.closed():
        gate.touch()
        await until(lambda: len(ends(site, node)) == JOBS)
        kill(node, victim)
    if victim == "all of it":
        site.node(slots=JOBS)
    await site.all_finished()

    assert site.audit() == Audit()
    assert len(site.ledger) == JOBS
    assert reclaimed(site) == [(JOBS, JOBS)]
    assert {job.attempts for job in site.books.finished()} == {1}


def ends(site: Site, node: Node) -> list[tuple[str, int]]:
    """The attempts of which its workers have written down how they ended."""
    wills = site.app.storehouse.wills
    assert isinstance(wills, Wills)
    workers = [WorkerId(line["worker"]) for line in node.said("worker started")]
    return [end for worker in workers for end in wills.ends(worker)]


def kill(node: Node, victim: str) -> None:
    """End a node, or its one worker, and see that they are gone."""
    workers = node.working()
    if victim == "all of it":
        node.kill()
    else:
        workers[0].kill()
    psutil.wait_procs(workers, timeout=10)


def reclaimed(site: Site) -> list[tuple[int, int]]:
    """How many jobs were reclaimed each time, and how many of them had ended."""
    said = [line for node in site.nodes for line in node.said("jobs reclaimed")]
    return [(line["count"], line["ended"]) for line in said]
