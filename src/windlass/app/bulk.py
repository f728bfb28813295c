"""A bulk action as a job to enqueue."""

from __future__ import annotations

from datetime import datetime

from windlass.core import bulk
from windlass.core.bulk import BULK_CRASHES, BULK_PRIORITY, BULK_QUEUE, BULK_TYPE, Action
from windlass.core.job import JobId, NewJob
from windlass.core.limits import MAX_TEXT
from windlass.executors import shape
from windlass.executors.bulk import Order

ORDERS = shape.of_document(BULK_TYPE, Order)


def bulk_job(job_id: JobId, order: Order, now: datetime) -> NewJob:
    """The job that does it; refuses a query that means nothing which it could change."""
    bulk.wanted(order.action, order.filter, now)
    return NewJob(
        job_id,
        BULK_TYPE,
        ORDERS.write(order),
        queue=BULK_QUEUE,
        name=_name(order),
        priority=BULK_PRIORITY,
        max_crashes=BULK_CRASHES,
    )


def order(action: Action | str, which: str, rate: float | None) -> Order:
    """What is asked for, checked."""
    return Order(action=bulk.action(action), filter=which, rate=bulk.rate(rate))


def _name(order: Order) -> str:
    """What it does, as lists show it: nothing that a name may not have."""
    words = f"{order.action} {order.filter}"[:MAX_TEXT]
    return "".join(letter if letter.isprintable() else " " for letter in words)
