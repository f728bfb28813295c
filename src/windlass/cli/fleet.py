"""`windlass workers`, `drain`, `incidents` and `stats`: who works, and how things stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from windlass.cli import look, wire
from windlass.cli.desk import Desk
from windlass.cli.words import NOTHING, ago, myself
from windlass.core.job import State

if TYPE_CHECKING:
    from windlass.core.incidents import Incident, Severity
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
    desk.answer(_wired(fleet), look.table(TITLES, rows, width=desk.width) if rows else "no workers")
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


async def incidents(desk: Desk) -> None:
    """Say in sentences what is wrong right now.

    Example: windlass incidents
    """
    found = (await desk.app.board()).incidents
    rows = [(_severity(one.severity), ago(one.since, desk.now), one.sentence) for one in found]
    table = look.table(("severity", "since", "~"), rows)
    desk.answer([*map(_told, found)], table if rows else "nothing is wrong")


async def drain(
    desk: Desk,
    worker: Annotated[
        str, typer.Argument(metavar="WORKER", help="Its id, as `windlass workers` shows it.")
    ],
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Let it claim jobs again.")] = False,
) -> None:
    """Let a worker finish what it runs and claim no more.

    Example: windlass drain 5f0c6a4e-9b1d-4f7e-8f3a-0a1b2c3d4e5f
    """
    if undo:
        await desk.app.end_drain(worker)
        desk.answer({"worker": worker, "draining": False}, look.text(f"worker {worker} goes on"))
        return
    by = myself()
    await desk.app.drain(worker, by=by)
    desk.answer(
        {"worker": worker, "draining": True, "by": by}, look.text(f"worker {worker} drains")
    )
    desk.suggest(f"let it claim jobs again: windlass drain --undo {worker}")


def _told(incident: Incident) -> dict[str, Any]:
    return {**wire.plain(incident), "about": incident.about._asdict()}


def _severity(severity: Severity) -> Text:
    return Text(severity, look.SEVERITIES[severity])


def _wired(fleet: Fleet) -> dict[str, Any]:
    return {"nodes": [*map(_flat, fleet.nodes)], "workers": [*map(_flat, fleet.workers)]}


def _flat(status: NodeStatus | WorkerStatus) -> dict[str, Any]:
    told = status._asdict()
    return {**wire.plain(told.pop("record")), **told}


def _standing(status: WorkerStatus) -> Text:
    return Text("draining", "yellow") if status.drain_at else Text("alive", "green")


def _rows(fleet: Fleet, now: datetime) -> Iterator[Sequence[RenderableType]]:
    hosts = {node.record.id: node.record.host for node in fleet.nodes}
    for status in fleet.workers:
        worker = status.record
        ended = look.text(f"ended {ago(status.lease_until, now)}", "red")
        yield (
            look.identity(worker.id),
            hosts.get(worker.node, NOTHING),
            str(worker.pid),
            _standing(status) if status.alive else ended,
            f"{status.running:,}",
            f"{worker.slots:,}",
            f"{worker.threads:,}",
            "all" if worker.queues is None else ", ".join(worker.queues),
            "suspects only" if worker.alone else ", ".join(worker.types),
        )
