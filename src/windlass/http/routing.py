"""Which function answers which request, and with what arguments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, get_type_hints

from windlass.http import access as accesses
from windlass.http import reading
from windlass.http.access import Access
from windlass.http.answer import Answer, Stream
from windlass.http.problems import Refusal
from windlass.http.request import Request
from windlass.http.service import Service

Handler: TypeAlias = Callable[..., Awaitable[Answer | Stream]]
Names: TypeAlias = tuple[str, ...]


class Says(NamedTuple):
    """What an answer says, for the OpenAPI document."""

    shape: Any  # the type of its JSON; None for an answer without a body
    meaning: str
    media: str = "application/json"
    headers: Mapping[str, str] = {}
    leads: Sequence[str] = ()  # the functions that take its `id` as their job_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A function of the service, at its place."""

    method: str
    path: str
    handle: Handler
    access: Access
    answers: Mapping[int, Says]
    refuses: Sequence[int]
    headers: Mapping[str, str]  # request headers that it reads, and what they mean
    wants: Mapping[str, Any] = field(init=False)  # its arguments by name, and their types

    def __post_init__(self) -> None:
        """Learn from the function's annotations what it takes."""
        wants = get_type_hints(self.handle, include_extras=True)
        object.__setattr__(self, "wants", wants)

    @property
    def segments(self) -> Names:
        """The path in parts."""
        return tuple(self.path.split("/")[1:])

    @property
    def parameters(self) -> Names:
        """The names that stand in braces in the path."""
        return tuple(part[1:-1] for part in self.segments if part.startswith("{"))


def _method(name: str) -> Callable[..., Callable[[Handler], Route]]:
    def at(
        path: str,
        *,
        access: Access,
        answers: Mapping[int, Says],
        refuses: Sequence[int] = (),
        headers: Mapping[str, str] | None = None,
    ) -> Callable[[Handler], Route]:
        """Answer this method at this path; OpenAPI tells of `answers` and `refuses`."""

        def declare(handle: Handler) -> Route:
            return Route(
                method=name,
                path=path,
                handle=handle,
                access=access,
                answers=answers,
                refuses=refuses,
                headers=headers or {},
            )

        return declare

    return at


get = _method("GET")
post = _method("POST")
delete = _method("DELETE")


class Bound(NamedTuple):
    """A route whose arguments have their readers."""

    handle: Handler
    access: Access
    given: Mapping[str, Any]  # what is the same for every request
    request: bool
    body: Callable[[Request], Awaitable[Any]] | None
    query: Callable[[Request], Any] | None


class Router:
    """Finds the route of a request, and asks it for the answer."""

    def __init__(self, service: Service, routes: Iterable[Route]) -> None:
        """Know the routes; two at one place would be a mistake of ours."""
        self._whole: dict[str, dict[str, Bound]] = {}
        self._parts: dict[int, list[tuple[Names, dict[str, Bound]]]] = {}
        for route in routes:
            place = self._place(route)
            assert route.method not in place, f"{route.method} {route.path} is there twice"  # noqa: S101
            place[route.method] = _bound(route, service)

    async def answer(self, request: Request) -> Answer | Stream:
        """What the request is answered with."""
        methods, found = self._find(request)
        method = "GET" if request.method == "HEAD" else request.method
        bound = methods.get(method)
        if bound is None:
            raise _not_allowed(request.method, methods)
        accesses.check(bound.access, request.principal, request.scope.get("refused"))
        if bound.request:
            found["request"] = request
        if bound.query is not None:
            found["query"] = bound.query(request)
        if bound.body is not None:
            found["body"] = await bound.body(request)
        return await bound.handle(**bound.given, **found)

    def _place(self, route: Route) -> dict[str, Bound]:
        if not route.parameters:
            return self._whole.setdefault(route.path, {})
        alike = self._parts.setdefault(len(route.segments), [])
        for segments, methods in alike:
            if segments == route.segments:
                return methods
        alike.append((route.segments, {}))
        return alike[-1][1]

    def _find(self, request: Request) -> tuple[Mapping[str, Bound], dict[str, Any]]:
        methods = self._whole.get(request.path)
        if methods is not None:
            return methods, {}
        parts = request.parts()
        for segments, methods in self._parts.get(len(parts), ()):
            found = _match(segments, parts)
            if found is not None:
                return methods, found
        raise Refusal(404, "not-found", "there is nothing here; /openapi.json lists what there is")


def _bound(route: Route, service: Service) -> Bound:
    wants = route.wants
    return Bound(
        route.handle,
        route.access,
        {"service": service} if "service" in wants else {},
        "request" in wants,
        reading.body_reader(wants["body"]) if "body" in wants else None,
        reading.query_reader(wants["query"]) if "query" in wants else None,
    )


def _match(segments: Names, parts: Sequence[str]) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    for segment, part in zip(segments, parts, strict=True):
        if segment[:1] == "{" and part:
            found[segment[1:-1]] = part
        elif segment != part:
            return None
    return found


def _not_allowed(method: str, methods: Mapping[str, object]) -> Refusal:
    allowed = sorted({*methods, "HEAD"} if "GET" in methods else methods)
    return Refusal(
        405,
        "method-not-allowed",
        f"{method} is not allowed here, but {', '.join(allowed)}",
        headers=((b"allow", ", ".join(allowed).encode()),),
    )


__all__ = ["Answer", "Request", "Route", "Router", "Says", "Stream", "delete", "get", "post"]
