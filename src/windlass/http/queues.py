"""The routes about queues."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from windlass.app.board import QueueView
from windlass.core.bulk import BULK_QUEUE
from windlass.http import wire_fleet as wire
from windlass.http.access import Access
from windlass.http.answer import Answer, json
from windlass.http.request import Request
from windlass.http.routing import Says, get, post
from windlass.http.service import Service
from windlass.wire import fleet as shapes


@get(
    "/queues",
    access=Access.READ,
    answers={200: Says(list[shapes.Queue], "Queues with live jobs, and those that are paused.")},
)
async def list_queues(service: Service) -> Answer:
    """List the queues in which jobs wait or run, and those that are paused.

    Rates are of the last minute or so. `drain` supposes that they stay as they are.
    """
    return json([wire.queue(one) for one in (await service.app.board()).queues])


@get(
    "/queues/{queue}",
    access=Access.READ,
    answers={200: Says(shapes.Queue, "The queue as it is now.")},
)
async def read_queue(service: Service, queue: str) -> Answer:
    """Read one queue; one in which nothing waits is empty, not unknown."""
    return json(wire.queue(await _named(service, queue)))


@get(
    "/queues/{queue}/load",
    access=Access.READ,
    answers={200: Says(shapes.Load, "How much there is to do.")},
)
async def read_load(service: Service, queue: str) -> Answer:
    """Say how much a queue has to do, for whoever decides how many workers there should be."""
    return json(shapes.Load(load=_load(await _named(service, queue))))


class Served(msgspec.Struct, kw_only=True):
    """What the workers in question claim from."""

    queues: Annotated[
        str | None, Meta(description="Names, as in mail,reports; if not given, all.")
    ] = None


@get(
    "/load",
    access=Access.READ,
    answers={200: Says(shapes.Load, "How much there is to do.")},
)
async def read_whole_load(service: Service, query: Served) -> Answer:
    """Say how much workers of these queues have to do, for whoever decides how many there are.

    Bulk actions are counted too: every worker may take them.
    """
    views = (await service.app.board()).queues
    if query.queues is not None:
        named = {BULK_QUEUE, *(name.strip() for name in query.queues.split(","))}
        views = [one for one in views if one.record.name in named]
    return json(shapes.Load(load=sum(map(_load, views))))


@post(
    "/queues/{queue}/pause",
    access=Access.WRITE,
    answers={200: Says(shapes.Queue, "No job of it starts any more; those that run go on.")},
    refuses=(422,),
)
async def pause_queue(service: Service, request: Request, queue: str) -> Answer:
    """Let no job of the queue start from now on."""
    who = request.principal.name if request.principal else "the API"
    await service.app.pause(queue, by=who)
    return json(wire.queue(await _named(service, queue)))


@post(
    "/queues/{queue}/resume",
    access=Access.WRITE,
    answers={200: Says(shapes.Queue, "Its jobs may start again.")},
    refuses=(422,),
)
async def resume_queue(service: Service, queue: str) -> Answer:
    """Let the jobs of a paused queue start again."""
    await service.app.resume(queue)
    return json(wire.queue(await _named(service, queue)))


def _load(view: QueueView) -> int:
    """What waits in a paused queue gives nobody anything to do."""
    record = view.record
    return record.running + (record.depth if record.paused_at is None else 0)


async def _named(service: Service, name: str) -> QueueView:
    board = await service.app.board()
    found = {one.record.name: one for one in board.queues}
    return found.get(name) or board.empty(name)


ROUTES = [list_queues, read_queue, read_load, read_whole_load, pause_queue, resume_queue]
