"""What stands in the tables and in the head, made of one look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from windlass.cli import look
from windlass.cli.words import NOTHING, TENTHS_BELOW, ago, count, first_line, span
from windlass.core.job import State

if TYPE_CHECKING:
    from windlass.app import Job
    from windlass.app.board import QueueView
    from windlass.cli.top.sight import Pace, Sight
    from windlass.store.records import WorkerStatus

QUEUES = ("queue", "waiting", "later", "running", "oldest", "in/s", "out/s", "empty in", "busy", "")
WORKERS = ("worker", "host", "pid", "lease", "running", "slots", "threads", "queues", "since")
JOBS = ("id", "state", "type", "queue", "attempts", "asked for", "ran for", "")
# As many sentences as leave room for the tables.
SENTENCES = 4
BAR = 10
FULL = 0.9


class Row(NamedTuple):
    """A line of a table, and what it is about."""

    key: str
    cells: Sequence[Text]


def queues(sight: Sight) -> list[Row]:
    """A line for each queue."""
    return [Row(one.record.name, _queue(one, sight.at)) for one in sight.board.queues]


def workers(sight: Sight) -> list[Row]:
    """A line for each worker."""
    hosts = {str(node.record.id): node.record.host for node in sight.board.fleet.nodes}
    return [
        Row(str(one.record.id), _worker(one, hosts.get(str(one.record.node), NOTHING), sight.at))
        for one in sight.board.fleet.workers
    ]


def jobs(sight: Sight) -> list[Row]:
    """A line for each job."""
    return [Row(str(job.id), _job(job, sight.at)) for job in sight.jobs]


def states(sight: Sight) -> Text:
    """How many jobs there are in each state."""
    parts = [
        Text.assemble(look.state(state), " ", (f"{sight.counts[state]:,}", "bold"))
        for state in State
    ]
    return Text("   ").join(parts)


def flow(pace: Pace) -> Text:
    """How fast jobs come and go, and how long nearly all of them wait and run."""
    facts = (
        ("in", _rate(pace.into)),
        ("out", _rate(pace.out)),
        ("failed", _rate(pace.failed)),
        ("wait", span(pace.wait)),
        ("run", span(pace.run)),
    )
    return Text("   ").join(Text.assemble((f"{name} ", "dim"), value) for name, value in facts)


def incidents(sight: Sight) -> Text:
    """What is wrong, the worst first."""
    found = sight.board.incidents
    if not found:
        return Text("✓ nothing is wrong", "green")
    lines = [
        Text.assemble(("● ", look.SEVERITIES[one.severity]), look.text(one.sentence))
        for one in found[:SENTENCES]
    ]
    if more := len(found) - SENTENCES:
        lines += [Text(f"  and {more} more: windlass incidents", "dim")] if more > 0 else []
    return Text("\n").join(lines)


def _queue(view: QueueView, now: datetime) -> list[Text]:
    record = view.record
    return [
        look.text(record.name, "bold"),
        _number(record.depth),
        _number(view.scheduled),
        _number(record.running),
        Text(span(view.oldest_age), justify="right"),
        Text(_rate(view.rates.into), justify="right"),
        Text(_rate(view.rates.out), justify="right"),
        Text(_emptied(view), justify="right"),
        _share(view.saturation),
        _switch(view, now),
    ]


def _switch(view: QueueView, now: datetime) -> Text:
    if view.record.paused_at is not None:
        since = ago(view.record.paused_at, now)
        return look.text(f"paused {since} by {view.record.paused_by}", "yellow")
    if not view.listeners:
        return Text("nobody serves it", "red" if view.record.depth else "dim")
    return Text(count(len(view.listeners), "worker"), "dim")


def _emptied(view: QueueView) -> str:
    if not view.record.depth:
        return NOTHING
    return "never" if view.drain is None else span(timedelta(seconds=view.drain))


def _worker(status: WorkerStatus, host: str, now: datetime) -> list[Text]:
    worker = status.record
    return [
        look.text(str(worker.id)[-12:], "bold"),
        look.text(host),
        Text(str(worker.pid), justify="right"),
        _lease(status, now),
        _number(status.running),
        _share(status.running / worker.slots if worker.slots else None),
        Text(f"{status.threads_in_use}/{worker.threads}", justify="right"),
        look.text("all" if worker.queues is None else ", ".join(worker.queues)),
        Text(ago(status.started_at, now), "dim"),
    ]


def _lease(status: WorkerStatus, now: datetime) -> Text:
    if not status.alive:
        return Text(f"ended {ago(status.lease_until, now)}", "red")
    return Text("draining", "yellow") if status.drain_at else Text("alive", "green")


def _job(job: Job, now: datetime) -> list[Text]:
    return [
        look.identity(str(job.id)),
        look.state(job.state),
        look.text(job.type),
        look.text(job.queue, "dim"),
        Text(f"{job.attempts}/{job.max_attempts}", justify="right"),
        Text(ago(job.created_at, now), justify="right"),
        Text(span(job.execution_time), justify="right"),
        look.text(first_line(job.error or job.name), "dim"),
    ]


def _number(number: int) -> Text:
    return Text(f"{number:,}", "" if number else "dim", justify="right")


def _rate(rate: float | None) -> str:
    if rate is None:
        return NOTHING
    return f"{rate:.1f}/s" if rate < TENTHS_BELOW else f"{rate:,.0f}/s"


def _share(share: float | None) -> Text:
    """A small bar."""
    if share is None:
        return Text(NOTHING)
    full = round(min(share, 1.0) * BAR)
    return Text.assemble(*_bar(full, "yellow" if share >= FULL else "green"), f" {share:4.0%}")


def _bar(full: int, colour: str) -> Iterator[tuple[str, str]]:
    yield "█" * full, colour
    yield "░" * (BAR - full), "dim"
