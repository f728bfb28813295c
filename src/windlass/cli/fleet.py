"""`windlass workers` and `windlass stats`: who works, and how much there is to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from windlass.cli import look, wire
from windlass.cli.desk import Desk
from windlass.cli.words import NOTHING, ago
from windlass.core.job import State

if TYPE_CHECKING:
    from windlass.store.records import Fleet, NodeStatus, WorkerStatus

TITLES = (
    "worker",
    "host",
    "pid>?",
    "lease",
    "running>",
    "slots>?",
    "threads>?",
    "queues?",
    "types?",
)


async def workers(desk: Desk) -> None:
    """List the workers, what they serve and how much they run.

    Example: windlass workers
    """
    fleet = await desk.app.fleet()
    rows = list(_rows(fleet, desk.now))
    desk.answer(
        _wired(fleet), look.table(TITLES, rows, narrow=desk.narrow) if rows else "no workers"
    )
    if not rows:
        desk.suggest("start one: windlass worker --app MODULE:APP")


async def stats(desk: Desk) -> None:
    """Count the jobs in each state.

    Example: windlass stats --json
    """
    counts = await desk.app.stats()
    rows = [(look.state(state), f"{number:,}") for state, number in counts.states.items()]
    desk.answer(counts.states, look.table(("state", "jobs>"), rows))
    if counts[State.FAILED]:
        desk.suggest("those that failed: windlass jobs --status failed")


def _wired(fleet: Fleet) -> dict[str, Any]:
    return {"nodes": [*map(_flat, fleet.nodes)], "workers": [*map(_flat, fleet.workers)]}


def _flat(status: NodeStatus | WorkerStatus) -> dict[str, Any]:
    told = status._asdict()
    return {**wire.plain(told.pop("record")), **told}


def _rows(fleet: Fleet, now: datetime) -> Iterator[Sequence[RenderableType]]:
    hosts = {node.record.id: node.record.host for node in fleet.nodes}
    for status in fleet.workers:
        worker = status.record
        ended = look.text(f"ended {ago(status.lease_until, now)}", "red")
        yield (
            look.identity(worker.id),
            hosts.get(worker.node, NOTHING),
            str(worker.pid),
            Text("alive", "green") if status.alive else ended,
            f"{status.running:,}",
            f"{worker.slots:,}",
            f"{worker.threads:,}",
            "all" if worker.queues is None else ", ".join(worker.queues),
            "suspects only" if worker.alone else ", ".join(worker.types),
        )
