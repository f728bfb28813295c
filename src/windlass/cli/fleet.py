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
    from windlass.store.base import Fleet

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
    every = {state: counts.get(state, 0) for state in State}
    rows = [(look.state(state), f"{number:,}") for state, number in every.items()]
    desk.answer(every, look.table(("state", "jobs>"), rows))
    if every[State.FAILED]:
        desk.suggest("those that failed: windlass jobs --status failed")


def _wired(fleet: Fleet) -> dict[str, Any]:
    return {
        "nodes": [
            {**wire.plain(node), "lease_until": lease_until, "alive": alive}
            for node, lease_until, alive in fleet.nodes
        ],
        "workers": [
            {**wire.plain(worker), "running": running} for worker, running in fleet.workers
        ],
    }


def _rows(fleet: Fleet, now: datetime) -> Iterator[Sequence[RenderableType]]:
    nodes = {node.id: (node, until, alive) for node, until, alive in fleet.nodes}
    for worker, running in fleet.workers:
        node, lease_until, alive = nodes.get(worker.node, (None, None, False))
        ends = (
            Text("alive", "green") if alive else look.text(f"ended {ago(lease_until, now)}", "red")
        )
        yield (
            look.identity(worker.id),
            node.host if node else NOTHING,
            str(worker.pid),
            ends,
            f"{running:,}",
            f"{worker.slots:,}",
            f"{worker.threads:,}",
            "all" if worker.queues is None else ", ".join(worker.queues),
            "suspects only" if worker.alone else ", ".join(worker.types),
        )
