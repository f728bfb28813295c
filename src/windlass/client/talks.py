"""Everything that can be asked of a service, said once for clients that block and that await."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from http import HTTPStatus
from math import inf
from typing import Any, NamedTuple, Unpack, cast
from urllib.parse import parse_qs, urlsplit

from msgspec.structs import replace

from windlass.client import asking, reading
from windlass.client.asking import Options, Which, new_job, parameters, spoken
from windlass.client.errors import NoAnswer, NotFinished, NotNow
from windlass.client.exchange import Answer, Ask, Talk
from windlass.client.line import Line
from windlass.client.patience import Patience
from windlass.core.backoff import Backoff
from windlass.core.duration import duration
from windlass.core.errors import WindlassError
from windlass.wire import fleet as fleet_shapes
from windlass.wire.jobs import (
    Accepted,
    Attempt,
    Batch,
    Batched,
    Explanation,
    Job,
    Links,
    Progress,
    Replay,
    Submission,
)
from windlass.wire.jobs import Line as LogLine

# A short job is seen within a few hundredths of a second, a long one is asked for once a second.
POLLING = Backoff(base=0.02, factor=1.5, cap=1.0, jitter=0.1)
# Whoever asks again anyway need not be patient, and keeps better time.
ONCE = Patience(tries=1)
# The payload of a replay that changes none.
LIKE_BEFORE = object()


class Page(NamedTuple):
    """Some jobs, the newest first, and the `before` of the next page, if there is one."""

    jobs: list[Job]
    next: str | None
    looked_back_to: datetime | None  # said if a search stopped early


def submit(
    line: Line,
    type: str,  # noqa: A002 — what everybody calls it
    payload: object = None,
    **options: Unpack[Options],
) -> Talk[Accepted]:
    """Submit a job; it is kept when this answers. With an `idempotency_key` it is sent again."""
    job = new_job(type, payload, **options)
    repeatable = job.idempotency_key is not None
    return line.ask(asking.post("jobs", body=job, repeatable=repeatable), Accepted)


def submit_many(line: Line, jobs: Iterable[Submission], *, atomic: bool = True) -> Talk[Batched]:
    """Submit up to 10,000 jobs at once: all or none, unless `atomic` is false."""
    batch = Batch(jobs=list(jobs), atomic=atomic)
    repeatable = all(job.idempotency_key is not None for job in batch.jobs)
    return line.ask(asking.post("jobs", "batch", body=batch, repeatable=repeatable), Batched)


def get(line: Line, job_id: str) -> Talk[Job]:
    """The job as it is now."""
    return line.ask(asking.get("jobs", job_id), Job)


def page(line: Line, **which: Unpack[Which]) -> Talk[Page]:
    """A page of jobs, the newest first."""
    answer = yield from line.answer(asking.get("jobs", query=parameters(which)))
    found = reading.value(answer, list[Job])
    looked = answer.headers.get("windlass-looked-back-to")
    back_to = datetime.fromisoformat(looked) if looked else None
    return Page(found, _next(answer.headers.get("link", "")), back_to)


def wait(line: Line, job_id: str, timeout: float | timedelta | None = 10) -> Talk[Job]:
    """The job once it is finished; raises `NotFinished` after `timeout`.

    A service that answered before and is away for a while is waited for, too.
    """
    seconds = inf if timeout is None else duration(timeout, "timeout").total_seconds()
    until = line.clock.monotonic() + seconds
    found, looks = (yield from get(line, job_id)), 1
    impatient = replace(line, patience=ONCE)
    while not found.status.finished:
        left = until - line.clock.monotonic()
        if left <= 0:
            why = yield from _why(impatient, job_id)
            raise NotFinished(found.id, found.status, seconds, why)
        after = min(left, POLLING.delay(looks, chance=line.chance.random()))
        with suppress(NoAnswer, NotNow):
            found = yield from impatient.ask(asking.get("jobs", job_id), Job, after)
        looks += 1
    return found


def cancel(line: Line, job_id: str) -> Talk[Job]:
    """Cancel a waiting job now, or ask a running one to stop."""
    return line.ask(asking.post("jobs", job_id, "cancel", repeatable=True), Job)


def retry(line: Line, job_id: str) -> Talk[Job]:
    """Put a failed or cancelled job back in line."""
    return line.ask(asking.post("jobs", job_id, "retry", repeatable=False), Job)


def run_now(line: Line, job_id: str) -> Talk[Job]:
    """Put a job that is for later, or waits for its retry, in line at once."""
    return line.ask(asking.post("jobs", job_id, "run", repeatable=False), Job)


def replay(
    line: Line, job_id: str, payload: object = LIKE_BEFORE, **options: Unpack[Options]
) -> Talk[Accepted]:
    """Submit a new job like a finished one, with another payload or other options if given."""
    said: dict[str, Any] = {} if payload is LIKE_BEFORE else {"payload": payload}
    body = Replay(**said, **spoken(options))
    repeatable = body.idempotency_key is not None
    return line.ask(
        asking.post("jobs", job_id, "replay", body=body, repeatable=repeatable), Accepted
    )


def delete(line: Line, job_id: str) -> Talk[None]:
    """Forget a finished job."""
    reading.content((yield from line.answer(asking.delete("jobs", job_id))))


def bulk(
    line: Line,
    action: str,
    which: str,
    *,
    rate: float | None = None,
    idempotency_key: str | None = None,
) -> Talk[Accepted]:
    """Retry, cancel or delete all jobs that fit a search; that is a job itself, to wait for."""
    order = {"action": action, "filter": which} | ({} if rate is None else {"rate": rate})
    sent = asking.post("jobs", "bulk", body=order, key=idempotency_key, repeatable=False)
    return line.ask(sent, Accepted)


def explain(line: Line, job_id: str) -> Talk[Explanation]:
    """Why the job is where it is, in sentences and in numbers."""
    return line.ask(asking.get("jobs", job_id, "explain"), Explanation)


def links(line: Line, job_id: str) -> Talk[Links]:
    """The job that a job replays, and those that replay it."""
    return line.ask(asking.get("jobs", job_id, "links"), Links)


def attempts(line: Line, job_id: str) -> Talk[list[Attempt]]:
    """The attempts of a job that ended otherwise than well, the oldest first."""
    return line.ask(asking.get("jobs", job_id, "attempts"), list[Attempt])


def lines(line: Line, job_id: str) -> Talk[list[LogLine]]:
    """What the job logged, the oldest first."""
    return line.ask(asking.get("jobs", job_id, "logs"), list[LogLine])


def progress(line: Line, job_id: str) -> Talk[Progress | None]:
    """How far the job has come; None if it does not say."""
    shape = cast("type[Progress | None]", Progress | None)
    return line.ask(asking.get("jobs", job_id, "progress"), shape)


def kept(line: Line, job_id: str, name: str) -> Talk[bytes]:
    """A file that the job's handler kept with it."""
    return reading.content((yield from line.answer(asking.get("jobs", job_id, "files", name))))


def queues(line: Line) -> Talk[list[fleet_shapes.Queue]]:
    """The queues in which jobs wait or run, and those that are paused."""
    return line.ask(asking.get("queues"), list[fleet_shapes.Queue])


def queue(line: Line, name: str) -> Talk[fleet_shapes.Queue]:
    """One queue; one in which nothing waits is empty, not unknown."""
    return line.ask(asking.get("queues", name), fleet_shapes.Queue)


def pause(line: Line, queue: str) -> Talk[fleet_shapes.Queue]:
    """Let no job of the queue start from now on."""
    return line.ask(asking.post("queues", queue, "pause", repeatable=True), fleet_shapes.Queue)


def resume(line: Line, queue: str) -> Talk[fleet_shapes.Queue]:
    """Let the jobs of a paused queue start again."""
    return line.ask(asking.post("queues", queue, "resume", repeatable=True), fleet_shapes.Queue)


def workers(line: Line) -> Talk[list[fleet_shapes.Worker]]:
    """The workers that have not left, with the slots they have and use."""
    return line.ask(asking.get("workers"), list[fleet_shapes.Worker])


def types(line: Line) -> Talk[list[fleet_shapes.JobType]]:
    """The types of job that are known, with the JSON Schema of their payloads."""
    return line.ask(asking.get("types"), list[fleet_shapes.JobType])


def incidents(line: Line) -> Talk[list[fleet_shapes.Incident]]:
    """What is wrong right now, the worst first."""
    return line.ask(asking.get("incidents"), list[fleet_shapes.Incident])


def stats(line: Line) -> Talk[dict[str, int]]:
    """How many jobs there are in each state."""
    return line.ask(asking.get("stats"), dict[str, int])


def ready(_line: Line) -> Talk[bool]:
    """Whether the service can take requests; it is asked once."""
    heard = yield Ask(asking.get("readyz"))
    return isinstance(heard, Answer) and heard.status == HTTPStatus.OK


def _why(line: Line, job_id: str) -> Talk[str | None]:
    """Why the job is where it is, if the service says so now."""
    with suppress(WindlassError):
        return (yield from explain(line, job_id)).reasons[0]
    return None


def _next(link: str) -> str | None:
    """Where the next page begins, by the header Link."""
    address, _, relation = link.partition(">")
    if 'rel="next"' not in relation:
        return None
    return parse_qs(urlsplit(address.removeprefix("<")).query)["before"][0]
