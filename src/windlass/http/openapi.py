"""The OpenAPI document: made from the routes themselves, so that it cannot tell anything else."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, TypeAlias

import msgspec

from windlass.http.access import Access, Scope
from windlass.http.answer import Answer, json
from windlass.http.chapters import chapter, told_of
from windlass.http.routing import Route, Says, get
from windlass.wire.problem import Problem

Document: TypeAlias = dict[str, Any]

REF = "#/components/schemas/{name}"
# What any route may refuse for: before it is reached, or because the store is away.
ANYWHERE = (400, 403, 421, 429, 503)
# What a route that reads a body may refuse for.
WITH_BODY = (408, 413, 415, 422)
ABOUT = """\
Jobs are submitted here, kept until they are done, and explained while they wait.

Errors are problems as in RFC 9457, `application/problem+json`; their `type` is for programs and
their `detail` for people. Lists are arrays, newest first; the header `Link` leads to the next page.
"""


def described(routes: Iterable[Route]) -> Route:
    """The route to the document about these routes, and about itself."""
    made: list[Answer] = []

    @get(
        "/openapi.json",
        access=Access.READ,
        answers={200: Says(dict[str, Any], "The OpenAPI 3.1 document.")},
    )
    async def openapi() -> Answer:
        """This document."""
        if not made:
            made.append(json(document([*routes, openapi])))
        return made[0]

    return openapi


def document(routes: Iterable[Route]) -> Document:
    """The routes as an OpenAPI document."""
    routes = sorted(routes, key=lambda route: route.path)
    schemas, components = msgspec.json.schema_components(_shapes(routes), ref_template=REF)
    known = dict(zip(map(repr, _shapes(routes)), schemas, strict=True))
    paths: dict[str, Document] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, known)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Windlass", "version": version("windlass"), "description": ABOUT},
        "tags": [{"name": one.name, "description": one.about} for one in told_of(routes)],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
            },
        },
    }


def _shapes(routes: Iterable[Route]) -> list[Any]:
    """Every shape that is spoken of, each once."""
    shapes: dict[str, Any] = {repr(Problem): Problem}
    for route in routes:
        named = [route.wants.get("body"), *(says.shape for says in route.answers.values())]
        shapes |= {repr(shape): shape for shape in named if shape is not None}
    return list(shapes.values())


def _operation(route: Route, known: Mapping[str, Document]) -> Document:
    summary, _, description = (inspect.getdoc(route.handle) or "").partition("\n")
    made: Document = {
        "tags": [chapter(route).name],
        "operationId": getattr(route.handle, "__name__", route.path),
        "summary": summary.rstrip("."),
        "parameters": [*_parameters(route)],
        "responses": {str(status): said for status, said in _responses(route, known)},
    }
    if description.strip():
        made["description"] = description.strip()
    if "body" in route.wants:
        content = {"application/json": {"schema": known[repr(route.wants["body"])]}}
        made["requestBody"] = {"required": True, "content": content}
    if route.access.value is not None:
        made["security"] = _security(*route.access.value)
    return made


def _security(scope: Scope | None, proof: bool) -> list[Document]:  # noqa: FBT001 — as in a Demand
    token = {"token": [] if scope is None else [scope.value]}
    # Where the service is open to local programs, nothing at all will do.
    return [token] if proof else [token, {}]


def _parameters(route: Route) -> Iterator[Document]:
    for name in route.parameters:
        schema = {"type": "string", "minLength": 1}
        yield {"name": name, "in": "path", "required": True, "schema": schema}
    for name, meaning in route.headers.items():
        schema = {"type": "string"}
        yield {"name": name, "in": "header", "description": meaning, "schema": schema}
    if "query" in route.wants:
        yield from _query(route.wants["query"])


def _query(shape: type[msgspec.Struct]) -> Iterator[Document]:
    schema = next(iter(msgspec.json.schema(shape)["$defs"].values()))
    for name, field in schema["properties"].items():
        yield {
            "name": name,
            "in": "query",
            "description": field.pop("description", ""),
            "schema": field,
        }


def _responses(route: Route, known: Mapping[str, Document]) -> Iterator[tuple[int, Document]]:
    for status, says in route.answers.items():
        said: Document = {"description": says.meaning}
        if says.shape is not None:
            said["content"] = {says.media: {"schema": known[repr(says.shape)]}}
        if says.headers:
            said["headers"] = {
                name: {"description": meaning, "schema": {"type": "string"}}
                for name, meaning in says.headers.items()
            }
        if says.leads:
            said["links"] = {name: _link(name) for name in says.leads}
        yield status, said
    for status in sorted({*ANYWHERE, *route.refuses, *_implied(route)} - set(route.answers)):
        content = {"application/problem+json": {"schema": known[repr(Problem)]}}
        yield status, {"description": HTTPStatus(status).phrase, "content": content}


def _link(operation: str) -> Document:
    return {"operationId": operation, "parameters": {"job_id": "$response.body#/id"}}


def _implied(route: Route) -> Iterator[int]:
    if "body" in route.wants:
        yield from WITH_BODY
    if route.access is not Access.PUBLIC:
        yield 401
    if route.parameters:
        yield 404
