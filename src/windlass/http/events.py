"""The route on which a service tells what changes."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from windlass.core import limits
from windlass.core.errors import UnknownJob
from windlass.core.job import JobId
from windlass.http.access import Access
from windlass.http.answer import Stream
from windlass.http.problems import Refusal
from windlass.http.routing import Says, get
from windlass.http.service import Service

MOST_JOBS = 500
EVENTS = "text/event-stream"


class Watched(msgspec.Struct, kw_only=True):
    """What to tell of."""

    jobs: Annotated[str, Meta(description="Ids of jobs to watch, with commas; up to 500.")] = ""


@get(
    "/events",
    access=Access.READ,
    answers={200: Says(str, "Events: `counts`, `job`, `progress`, `changed`, `gone`.", EVENTS)},
    refuses=(503,),
    headers={"Last-Event-ID": "Sent by who lost the connection; how things stand is told anew."},
)
async def events(service: Service, query: Watched) -> Stream:
    """Listen to what changes, as server-sent events.

    At first, and after every reconnection, `counts` tells how many jobs are in each state and `job`
    how each watched one stands; then both tell what changes. `progress` tells how far a running
    one says it is, `changed` of a job that is too large to be sent along, and `gone` of one that
    there is not, or no more. Who reads slowly misses what was overtaken by later news.
    """
    return Stream(service.live.listen(_ids(query.jobs)), EVENTS.encode())


def _ids(said: str) -> list[JobId]:
    try:
        ids = list(dict.fromkeys(limits.job_id(one) for one in said.split(",") if one))
    except UnknownJob as unknown:
        raise Refusal(400, "bad-query", f"jobs: {unknown}") from None
    if len(ids) > MOST_JOBS:
        raise Refusal(400, "bad-query", f"up to {MOST_JOBS} jobs can be watched, not {len(ids)}")
    return ids


ROUTES = [events]
