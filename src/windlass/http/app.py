"""The service as an ASGI application: every route, behind one door."""

from __future__ import annotations

from collections.abc import Iterable

from windlass.core.errors import WindlassError
from windlass.http import answer as answers
from windlass.http import (
    batch,
    bulk,
    docs,
    events,
    faults,
    fleet,
    health,
    history,
    jobs,
    login,
    mail,
    metrics,
    problems,
    queues,
    seeds,
    ui,
)
from windlass.http.answer import Answer, Send, Stream
from windlass.http.openapi import described
from windlass.http.problems import Refusal
from windlass.http.request import Gone, Receive, Request, Scope
from windlass.http.routing import Route, Router
from windlass.http.service import Service

ROUTES: tuple[Route, ...] = (
    *jobs.ROUTES,
    *batch.ROUTES,
    *bulk.ROUTES,
    *faults.ROUTES,
    *queues.ROUTES,
    *fleet.ROUTES,
    *history.ROUTES,
    *events.ROUTES,
    *metrics.ROUTES,
    *health.ROUTES,
    *login.ROUTES,
    *seeds.ROUTES,
    *docs.ROUTES,
    *ui.ROUTES,
)


class Api:
    """Answers requests; whatever goes wrong on purpose is answered with a problem."""

    def __init__(self, service: Service, routes: Iterable[Route] = ROUTES) -> None:
        """Know every route, and the document that describes them."""
        known = (*routes, *(mail.ROUTES if service.mail is not None else ()))
        self._router = Router(service, (*known, described(known)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        try:
            answer = await self._answer(request)
        except Gone:
            return
        bodiless = request.method == "HEAD"
        if isinstance(answer, Answer):
            await answers.send(answer, send, bodiless=bodiless)
        elif bodiless:
            await answer.chunks.aclose()
            await answers.send(Answer(200, b"", answer.headers), send)
        else:
            await answers.stream(answer, send, request.gone())

    async def _answer(self, request: Request) -> Answer | Stream:
        try:
            if ui.is_here(request.path):
                return ui.answer(request)
            return await self._router.answer(request)
        except (WindlassError, Refusal) as error:
            return problems.answer(error, request.id)
