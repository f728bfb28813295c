"""The route by which many jobs are retried, cancelled or deleted at once."""

from __future__ import annotations

from windlass.executors.bulk import Order
from windlass.http.access import Access
from windlass.http.answer import Answer
from windlass.http.jobs import KEPT, KEY, acceptance
from windlass.http.request import Request
from windlass.http.routing import post
from windlass.http.service import Service


@post("/jobs/bulk", access=Access.WRITE, answers=KEPT, headers=KEY)
async def bulk(service: Service, request: Request, body: Order) -> Answer:
    """Retry, cancel or delete all jobs that fit a query.

    That is a job itself, of the type `windlass.bulk`: it tells its progress, goes on after a
    crash, can be cancelled, and its result says how many jobs matched and how many were changed.
    It means the jobs that are there when it begins. Waiting jobs are cancelled at once and running
    ones asked to stop; only finished ones are deleted. `rate` is jobs a second, at most.
    """
    enqueued = await service.app.bulk(
        body.action,
        body.filter,
        rate=body.rate,
        idempotency_key=request.header(b"idempotency-key"),
    )
    return acceptance(enqueued)


ROUTES = [bulk]
