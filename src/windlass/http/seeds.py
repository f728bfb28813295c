"""Routes by the names that other schedulers gave them; each is one of ours."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from windlass.core.errors import UnknownJob
from windlass.core.job import FINISHED, State
from windlass.core.limits import MAX_PAGE
from windlass.http import wire
from windlass.http.access import Access
from windlass.http.answer import Answer, json
from windlass.http.jobs import KEPT, KEY, LISTED, Wanted, accepted, listed
from windlass.http.request import Request
from windlass.http.routing import Says, get, post
from windlass.http.service import Service
from windlass.wire import jobs as shapes


class Paging(msgspec.Struct, kw_only=True):
    """Which part of a list is wanted."""

    before: Annotated[UUID, Meta(description="Where the page before ended.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE, description="How many at most.")] = 50


@post("/addJob", access=Access.WRITE_WITH_TOKEN, answers=KEPT, headers=KEY)
async def add_job(service: Service, request: Request, body: shapes.Submission) -> Answer:
    """Submit a job, as POST /jobs does; needs a token always."""
    return await accepted(service, request, body)


@get("/failedJobs", access=Access.READ_WITH_TOKEN, answers=LISTED)
async def failed_jobs(service: Service, request: Request, query: Paging) -> Answer:
    """List dead letters, the newest first; needs a token always."""
    dead = Wanted(status=State.FAILED, before=query.before, limit=query.limit)
    return await listed(service, request, dead)


@post("/submit", access=Access.WRITE, answers=KEPT, headers=KEY)
async def submit_job(service: Service, request: Request, body: shapes.Submission) -> Answer:
    """Submit a job, as POST /jobs does."""
    return await accepted(service, request, body)


@get("/db/jobs", access=Access.READ, answers=LISTED)
async def list_history(service: Service, request: Request, query: Paging) -> Answer:
    """List finished jobs, the newest first, with the times they took."""
    finished = Wanted(status=",".join(FINISHED), before=query.before, limit=query.limit)
    return await listed(service, request, finished)


@get(
    "/db/jobs/{job_id}",
    access=Access.READ,
    answers={200: Says(shapes.Job, "The finished job, with the times it took.")},
)
async def read_history(service: Service, job_id: str) -> Answer:
    """Read one finished job."""
    job = await service.app.read(job_id)
    if not job.state.finished:
        raise UnknownJob(job_id)
    return json(wire.job(job))


ROUTES = [add_job, failed_jobs, submit_job, list_history, read_history]
