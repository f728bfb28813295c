"""The routes about workers, the nodes they belong to, and the types of job they know."""

from __future__ import annotations

from windlass.core import limits
from windlass.core.errors import UnknownWorker
from windlass.http import wire_fleet as wire
from windlass.http.access import Access
from windlass.http.answer import Answer, json
from windlass.http.problems import Refusal
from windlass.http.request import Request
from windlass.http.routing import Says, get, post
from windlass.http.service import Service
from windlass.wire import fleet as shapes


@get(
    "/workers",
    access=Access.READ,
    answers={200: Says(list[shapes.Worker], "Workers that have not left.")},
)
async def list_workers(service: Service) -> Answer:
    """List the workers, with the slots they have and use."""
    return json(wire.workers(await service.app.fleet()))


@post(
    "/workers/{worker}/drain",
    access=Access.WRITE,
    answers={200: Says(shapes.Worker, "It finishes what it runs, and claims no more.")},
)
async def drain_worker(service: Service, request: Request, worker: str) -> Answer:
    """Let a worker finish what it runs and claim no more; it learns of it within a few seconds."""
    who = request.principal.name if request.principal else "the API"
    await service.app.drain(worker, by=who)
    return json(await _named(service, worker))


@post(
    "/workers/{worker}/resume",
    access=Access.WRITE,
    answers={200: Says(shapes.Worker, "It claims jobs again.")},
)
async def resume_worker(service: Service, worker: str) -> Answer:
    """Let a worker that was told to drain claim jobs again."""
    await service.app.end_drain(worker)
    return json(await _named(service, worker))


@get(
    "/incidents",
    access=Access.READ,
    answers={200: Says(list[shapes.Incident], "What is wrong, the worst first.")},
)
async def list_incidents(service: Service) -> Answer:
    """Say in sentences what is wrong right now, since when, and where to look."""
    return json([wire.incident(one) for one in (await service.app.board()).incidents])


@get(
    "/nodes",
    access=Access.READ,
    answers={200: Says(list[shapes.Node], "Nodes that have not left.")},
)
async def list_nodes(service: Service) -> Answer:
    """List the nodes, each with the lease by which its workers' claims live."""
    return json(wire.nodes(await service.app.fleet()))


@get(
    "/types",
    access=Access.READ,
    answers={200: Says(list[shapes.JobType], "Types of job that are known here or to a worker.")},
)
async def list_types(service: Service) -> Answer:
    """List the types of job, with the JSON Schema of their payloads."""
    return json([wire.job_type(one) for one in await service.app.types()])


@get(
    "/types/{type}",
    access=Access.READ,
    answers={200: Says(shapes.JobType, "The type of job.")},
)
async def read_type(service: Service, type: str) -> Answer:  # noqa: A002 — what everybody calls it
    """Read one type of job."""
    for one in await service.app.types():
        if one.type == type:
            return json(wire.job_type(one))
    raise Refusal(404, "unknown-type", f"no type {type!r}; GET /types lists those there are")


async def _named(service: Service, worker: str) -> shapes.Worker:
    wanted = limits.worker_id(worker)
    for one in wire.workers(await service.app.fleet()):
        if one.id == wanted:
            return one
    raise UnknownWorker(worker)


ROUTES = [
    list_workers,
    drain_worker,
    resume_worker,
    list_incidents,
    list_nodes,
    list_types,
    read_type,
]
