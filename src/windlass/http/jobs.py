"""The routes about jobs."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, cast
from urllib.parse import urlencode
from uuid import UUID

import msgspec
from msgspec import Meta

from windlass.core.errors import BadInput
from windlass.core.limits import MAX_PAGE
from windlass.http import kept, wire
from windlass.http.access import Access
from windlass.http.answer import Answer, Header, json
from windlass.http.problems import Refusal
from windlass.http.request import Request
from windlass.http.routing import Says, delete, get, post
from windlass.http.service import Service
from windlass.http.submitting import options
from windlass.store.records import Enqueued, Page
from windlass.wire import jobs as shapes

if TYPE_CHECKING:
    from windlass.app.which import Which

SEARCH = 'A search, as in status:failed payload.user:42 error:"timed out" age:<2h.'
KEY = {"Idempotency-Key": "A second request with the same key makes no second job."}
LOCATION = {"Location": "Where the job can be read."}
LEADS = (
    "read_job",
    "explain_job",
    "cancel_job",
    "retry_job",
    "run_job",
    "replay_job",
    "read_links",
    "delete_job",
    "list_attempts",
    "list_lines",
    "read_progress",
)
KEPT = {
    202: Says(shapes.Accepted, "The job is kept.", headers=LOCATION, leads=LEADS),
    200: Says(
        shapes.Accepted, "The key has a job already: this one.", headers=LOCATION, leads=LEADS
    ),
}
LISTED = {
    200: Says(
        list[shapes.Job],
        "Jobs, the newest first.",
        headers={
            "Link": "The next page, as rel=next.",
            "Windlass-Looked-Back-To": "How far back a search has looked, when it stopped early.",
        },
    )
}


class Wanted(msgspec.Struct, kw_only=True):
    """Which jobs to list."""

    status: (
        Annotated[shapes.Text, Meta(description="One or several states, with commas.")] | None
    ) = None
    type: Annotated[shapes.Text, Meta(description="Only jobs of this type.")] | None = None
    queue: Annotated[shapes.Text, Meta(description="Only jobs of this queue.")] | None = None
    q: Annotated[str, Meta(max_length=1000, description=SEARCH)] | None = None
    name: Annotated[shapes.Text, Meta(description="Only jobs of this name.")] | None = None
    key: Annotated[shapes.Text, Meta(description="Only jobs with this idempotency key.")] | None = (
        None
    )
    error: (
        Annotated[shapes.Text, Meta(description="Only jobs whose error has this text.")] | None
    ) = None
    created_after: Annotated[datetime, Meta(tz=True, description="Only newer ones.")] | None = None
    created_before: Annotated[datetime, Meta(tz=True, description="Only older ones.")] | None = None
    before: Annotated[UUID, Meta(description="Where the page before ended.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE, description="How many at most.")] = 50


@post("/jobs", access=Access.WRITE, answers=KEPT, headers=KEY)
async def submit(service: Service, request: Request, body: shapes.Submission) -> Answer:
    """Submit a job.

    It is answered when the job is kept durably. With an Idempotency-Key, a request that is sent
    again is answered with the job that the first one made.
    """
    return await accepted(service, request, body)


@get("/jobs", access=Access.READ, answers=LISTED)
async def list_jobs(service: Service, request: Request, query: Wanted) -> Answer:
    """List jobs, live and finished, the newest first."""
    return await listed(service, request, query)


@get("/jobs/{job_id}", access=Access.READ, answers={200: Says(shapes.Job, "The job as it is now.")})
async def read_job(service: Service, job_id: str) -> Answer:
    """Read one job, live or finished."""
    return json(wire.job(await service.app.read(job_id)))


@delete(
    "/jobs/{job_id}",
    access=Access.WRITE,
    answers={204: Says(None, "It is forgotten.")},
    refuses=(409,),
)
async def delete_job(service: Service, job_id: str) -> Answer:
    """Forget a finished job."""
    await service.app.delete(job_id)
    return Answer(204)


@post(
    "/jobs/{job_id}/retry",
    access=Access.WRITE,
    answers={202: Says(shapes.Job, "It is back in line.")},
    refuses=(409,),
)
async def retry_job(service: Service, job_id: str) -> Answer:
    """Put a failed or cancelled job back in line."""
    await service.app.retry(job_id)
    return json(wire.job(await service.app.read(job_id)), 202)


@post(
    "/jobs/{job_id}/run",
    access=Access.WRITE,
    answers={202: Says(shapes.Job, "It is in line.")},
    refuses=(409,),
)
async def run_job(service: Service, job_id: str) -> Answer:
    """Run a job now that is for later, or that waits for its retry."""
    await service.app.run_now(job_id)
    return json(wire.job(await service.app.read(job_id)), 202)


@post(
    "/jobs/{job_id}/replay",
    access=Access.WRITE,
    answers=KEPT,
    refuses=(409,),
    headers=KEY,
)
async def replay_job(
    service: Service, request: Request, job_id: str, body: shapes.Replay
) -> Answer:
    """Submit a new job like a finished one, with another payload or other options.

    The old job stays as it is; the links of either tell of the other.
    """
    said = options(body, request.header(b"idempotency-key"))
    if body.payload is msgspec.UNSET:
        return acceptance(await service.app.replay(job_id, **said))
    return acceptance(await service.app.replay(job_id, body.payload, **said))


@get(
    "/jobs/{job_id}/links",
    access=Access.READ,
    answers={200: Says(shapes.Links, "Which job this one replays, and which ones replay it.")},
)
async def read_links(service: Service, job_id: str) -> Answer:
    """Read which job a job replays, and which ones replay it."""
    await service.app.read(job_id)
    links = await service.app.links(job_id)
    return json(shapes.Links(replay_of=links.replay_of, replays=list(links.replays)))


@post(
    "/jobs/{job_id}/cancel",
    access=Access.WRITE,
    answers={202: Says(shapes.Job, "It is cancelled, or asked to stop: see cancel_requested.")},
    refuses=(409,),
)
async def cancel_job(service: Service, job_id: str) -> Answer:
    """Cancel a waiting job now, or ask a running one to stop."""
    await service.app.cancel(job_id)
    return json(wire.job(await service.app.read(job_id)), 202)


@get(
    "/jobs/{job_id}/attempts",
    access=Access.READ,
    answers={200: Says(list[shapes.Attempt], "Attempts that ended otherwise than well.")},
)
async def list_attempts(service: Service, job_id: str) -> Answer:
    """List the attempts of a job that ended otherwise than well, the oldest first."""
    await service.app.read(job_id)
    attempts = await service.app.attempts(job_id)
    return json([wire.attempt(number, one) for number, one in enumerate(attempts, 1)])


@get(
    "/jobs/{job_id}/logs",
    access=Access.READ,
    answers={200: Says(list[shapes.Line], "What the handler logged, the oldest first.")},
)
async def list_lines(service: Service, job_id: str) -> Answer:
    """Read what a job logged."""
    await service.app.read(job_id)
    lines = await service.app.lines(job_id)
    return json([shapes.Line(level=one.level, message=one.message, at=one.at) for one in lines])


@get(
    "/jobs/{job_id}/progress",
    access=Access.READ,
    answers={200: Says(shapes.Progress | None, "How far it has come; null if it does not say.")},
)
async def read_progress(service: Service, job_id: str) -> Answer:
    """Read how far a job has come."""
    await service.app.read(job_id)
    told = await service.app.progress(job_id)
    if told is None:
        return json(None)
    return json(shapes.Progress(fraction=told.fraction, message=told.message, at=told.at))


@get(
    "/jobs/{job_id}/explain",
    access=Access.READ,
    answers={200: Says(shapes.Explanation, "Why it is where it is.")},
)
async def explain_job(service: Service, job_id: str) -> Answer:
    """Explain why a job waits, runs or has ended."""
    return json(wire.explanation(job_id, await service.app.explain(job_id)))


@get(
    "/jobs/{job_id}/files/{name}",
    access=Access.READ,
    answers={200: Says(bytes, "The file.", "*/*")},
)
async def read_file(service: Service, job_id: str, name: str) -> Answer:
    """Read a file that the handler kept with its job."""
    file = await service.app.kept(job_id, name)
    if file is None:
        raise Refusal(404, "unknown-file", f"job {job_id} keeps no file {name!r}")
    return kept.answer(file)


@get("/stats", access=Access.READ, answers={200: Says(dict[str, int], "Jobs in each state.")})
async def stats(service: Service) -> Answer:
    """Count the jobs in each state."""
    counts = await service.app.stats()
    at = counts.counted_at.isoformat().encode()
    return json(dict(counts.states), headers=((b"windlass-counted-at", at),))


async def accepted(service: Service, request: Request, asked: shapes.Submission) -> Answer:
    """Keep the job that was asked for, and say where it is."""
    said = options(asked, request.header(b"idempotency-key"))
    job = await service.app.draft(asked.type, asked.payload, **said)
    return acceptance(await service.app.enqueue(job))


def acceptance(enqueued: Enqueued) -> Answer:
    """Say that a job is kept, and where it can be read, unless only its key is left."""
    place = b"location", b"/jobs/%b" % enqueued.id.encode()
    places = () if enqueued.state is None else (place,)
    return json(wire.accepted(enqueued), 200 if enqueued.existing else 202, places)


async def listed(service: Service, request: Request, query: Wanted) -> Answer:
    """A page of jobs, and where the next one is."""
    try:
        page = await service.app.page(**_which(query))
    except BadInput as problem:
        raise Refusal(400, "bad-query", str(problem)) from None
    return json([wire.job(job) for job in page.jobs], headers=_links(request, page))


def _which(query: Wanted) -> Which:
    said = msgspec.structs.asdict(query)
    said["query"] = said.pop("q")
    said["before"] = None if query.before is None else str(query.before)
    said["status"] = query.status.split(",") if query.status else None
    return cast("Which", {name: value for name, value in said.items() if value is not None})


def _links(request: Request, page: Page) -> tuple[Header, ...]:
    """Where the next page is, and how far back this one has looked."""
    headers = []
    if page.next is not None:
        query = {**request.parameters(), "before": page.next}
        link = f'<{request.path}?{urlencode(query)}>; rel="next"'
        headers.append((b"link", link.encode()))
    if page.looked_back_to is not None:
        headers.append((b"windlass-looked-back-to", page.looked_back_to.isoformat().encode()))
    return tuple(headers)


ROUTES = [
    submit,
    list_jobs,
    read_job,
    delete_job,
    retry_job,
    run_job,
    replay_job,
    read_links,
    cancel_job,
    list_attempts,
    list_lines,
    read_progress,
    explain_job,
    read_file,
    stats,
]
