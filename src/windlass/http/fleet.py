"""The routes about workers, the nodes they belong to, and the types of job they know."""

from __future__ import annotations

from windlass.http import wire_fleet as wire
from windlass.http.access import Access
from windlass.http.answer import Answer, json
from windlass.http.problems import Refusal
from windlass.http.routing import Says, get
from windlass.http.service import Service


@get(
    "/workers",
    access=Access.READ,
    answers={200: Says(list[wire.Worker], "Workers that have not left.")},
)
async def list_workers(service: Service) -> Answer:
    """List the workers, with the slots they have and use."""
    return json(wire.workers(await service.app.fleet()))


@get(
    "/nodes",
    access=Access.READ,
    answers={200: Says(list[wire.Node], "Nodes that have not left.")},
)
async def list_nodes(service: Service) -> Answer:
    """List the nodes, each with the lease by which its workers' claims live."""
    return json(wire.nodes(await service.app.fleet()))


@get(
    "/types",
    access=Access.READ,
    answers={200: Says(list[wire.JobType], "Types of job that are known here or to a worker.")},
)
async def list_types(service: Service) -> Answer:
    """List the types of job, with the JSON Schema of their payloads."""
    return json([wire.job_type(one) for one in await service.app.types()])


@get(
    "/types/{type}",
    access=Access.READ,
    answers={200: Says(wire.JobType, "The type of job.")},
)
async def read_type(service: Service, type: str) -> Answer:  # noqa: A002 — what everybody calls it
    """Read one type of job."""
    for one in await service.app.types():
        if one.type == type:
            return json(wire.job_type(one))
    raise Refusal(404, "unknown-type", f"no type {type!r}; GET /types lists those there are")


ROUTES = [list_workers, list_nodes, list_types, read_type]
