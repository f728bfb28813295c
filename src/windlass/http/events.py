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
from windlass.http.bulletin import Topic
from windlass.http.problems import Refusal
from windlass.http.routing import Says, get
from windlass.http.service import Service

# No more ids than a request has room for in its first line.
MOST_JOBS = 400
EVENTS = "text/event-stream"
TOLD = ", ".join(f"`{name}`" for name in (*Topic, "job", "progress", "changed", "gone"))


class Watched(msgspec.Struct, kw_only=True):
    """What to tell of."""

    topics: Annotated[str, Meta(description=f"Some of {', '.join(Topic)}, with commas.")] = "counts"
    jobs: Annotated[str, Meta(description="Ids of jobs to watch, with commas; up to 400.")] = ""


@get(
    "/events",
    access=Access.READ,
    answers={200: Says(str, f"Events: {TOLD}.", EVENTS)},
    refuses=(503,),
    headers={"Last-Event-ID": "Sent by who lost the connection; how things stand is told anew."},
)
async def events(service: Service, query: Watched) -> Stream:
    """Listen to what changes, as server-sent events.

    At first, and after every reconnection, `counts` tells how many jobs are in each state and `job`
    how each watched one stands; then both tell what changes. `progress` tells how far a running
    one says it is, `changed` of a job that is too large to be sent along, and `gone` of one that
    there is not, or no more. Who reads slowly misses what was overtaken by later news.

    Of the other topics `queues`, `workers` and `incidents` tell what GET tells there, at most once
    a second, and null where that would be large. `jobs` tells that a list may have changed:
    `changed` names new jobs and such of the newest that are otherwise than before, and with `more`
    others may have changed, too.
    """
    return Stream(service.live.listen(_ids(query.jobs), _topics(query.topics)), EVENTS.encode())


def _topics(said: str) -> list[Topic]:
    unknown = [one for one in said.split(",") if one and one not in set(Topic)]
    if unknown:
        raise Refusal(400, "bad-query", f"no topic {unknown[0]!r}; topics: {', '.join(Topic)}")
    return [Topic(one) for one in said.split(",") if one]


def _ids(said: str) -> list[JobId]:
    try:
        ids = list(dict.fromkeys(limits.job_id(one) for one in said.split(",") if one))
    except UnknownJob as unknown:
        raise Refusal(400, "bad-query", f"jobs: {unknown}") from None
    if len(ids) > MOST_JOBS:
        raise Refusal(400, "bad-query", f"up to {MOST_JOBS} jobs can be watched, not {len(ids)}")
    return ids


ROUTES = [events]
