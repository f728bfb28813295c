"""All that is kept about one job, laid out for a program or for a person."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from windlass.cli import look, wire
from windlass.cli.words import NOTHING, ago, both, instant, span
from windlass.core.job import State

if TYPE_CHECKING:
    from windlass.app import Job
    from windlass.core.job import Attempt
    from windlass.store.records import LogLine, Progress
    from windlass.wiring import Windlass

Fact: TypeAlias = tuple[str, RenderableType | None]

LEVELS = {"warning": "yellow", "error": "red", "critical": "red", "debug": "dim"}
BAR = 20
# What a reason means where it says more than its word does.
ENDINGS = {
    "attempts": "failed for the last time",
    "crash": "crashed for the last time",
    "final": "failed for good, by its own word,",
}


async def read(app: Windlass, job_id: str) -> Dossier:
    """Everything about one job, as of now."""
    return Dossier(
        job=await app.get(job_id),
        why=(await app.explain(job_id)).sentences,
        progress=await app.progress(job_id),
        attempts=await app.attempts(job_id),
        lines=await app.lines(job_id),
    )


class Dossier(Struct, frozen=True, kw_only=True):
    """A job and everything around it."""

    job: Job
    why: Sequence[str]
    progress: Progress | None
    attempts: Sequence[Attempt]
    lines: Sequence[LogLine]

    def wired(self) -> dict[str, Any]:
        """The job's own fields, and what else is kept beside them."""
        return {
            **wire.job(self.job),
            "why": self.why,
            "progress": self.progress,
            "past_attempts": self.attempts,
            "log": self.lines,
        }

    def shown(self, now: datetime) -> RenderableType:
        """What matters most at night first: the state and the reason, then everything else."""
        return Group(*_parts(self, now))


def _parts(dossier: Dossier, now: datetime) -> Iterator[RenderableType]:
    job = dossier.job
    yield Text.assemble(look.state(job.state), "  ", look.text(job.name or job.type, "bold"))
    yield look.pairs([*_standing(dossier, now), *_times(job, now)])
    yield from _section("payload", _document(job.payload))
    if job.result is not None:
        yield from _section("result", _document(job.result))
    if job.error:
        yield from _section("error", look.text(job.error, "red"))
    if dossier.attempts:
        yield from _section("attempts that did not end well", _attempts(dossier.attempts, now))
    if dossier.lines:
        yield from _section("log", _log(dossier.lines))


def _standing(dossier: Dossier, now: datetime) -> Iterator[Fact]:
    job = dossier.job
    yield "why", "\n".join(dossier.why) if job.state is not State.COMPLETED else None
    yield "id", look.identity(job.id)
    yield "type", job.type if job.name else None
    yield "queue", f"{job.queue}, priority {job.priority}"
    yield "threads", str(job.threads) if job.threads else None
    yield "attempts", _counted(job)
    yield "progress", _progress(dossier.progress, now)
    yield "worker", job.worker
    yield "key", job.key


def _times(job: Job, now: datetime) -> Iterator[Fact]:
    yield "asked for", both(job.created_at, now)
    yield "due", both(job.run_at, now) if job.run_at != job.created_at else None
    yield "started", both(job.started_at, now) if job.started_at else None
    yield "finished", both(job.finished_at, now) if job.finished_at else None
    spans = (
        ("queue", job.queue_time),
        ("execution", job.execution_time),
        ("total", job.total_time),
    )
    known = [f"{name} {span(length)}" for name, length in spans if length is not None]
    yield "times", " · ".join(known) or None


def _counted(job: Job) -> str:
    counted = f"{job.attempts}, failures {job.failures} of {job.max_attempts}"
    return f"{counted}, crashes {job.crashes} of {job.max_crashes}" if job.crashes else counted


def _progress(progress: Progress | None, now: datetime) -> str | None:
    if progress is None:
        return None
    done = round(progress.fraction * BAR)
    words = [f"{'█' * done}{'░' * (BAR - done)} {progress.fraction:.0%}", progress.message]
    when = f"({ago(progress.at, now)})" if progress.at else None
    return " ".join(word for word in [*words, when] if word)


def _section(title: str, body: RenderableType) -> Iterator[RenderableType]:
    yield Text(f"\n{title}", style="bold")
    yield _indented(body)


def _indented(body: RenderableType) -> Padding:
    return Padding(body, (0, 0, 0, 2), expand=False)


def _document(value: object) -> Text:
    return look.text(json.dumps(value, indent=2, ensure_ascii=False))


def _attempts(attempts: Sequence[Attempt], now: datetime) -> RenderableType:
    return Group(*(line for attempt in attempts for line in _attempt(attempt, now)))


def _attempt(attempt: Attempt, now: datetime) -> Iterator[RenderableType]:
    took = attempt.finished_at - attempt.started_at if attempt.started_at else None
    ended = f"{ENDINGS.get(attempt.reason, attempt.reason)} {both(attempt.finished_at, now)}"
    yield look.text(f"{ended}, after {span(took)} on worker {attempt.worker or NOTHING}")
    for told, style in ((attempt.error, "red"), (attempt.trace, "dim")):
        if told:
            yield _indented(look.text(told, style))


def _log(lines: Sequence[LogLine]) -> Table:
    made = Table.grid(padding=(0, 2, 0, 0))
    for line in lines:
        at = instant(line.at) if line.at else ""
        made.add_row(at, look.text(line.level, LEVELS.get(line.level, "")), look.text(line.message))
    return made
