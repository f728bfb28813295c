"""Tasks where workers look for them."""

from __future__ import annotations

from typing import Any

from tests.contrib.harbour.models import Order
from windlass import Discard
from windlass.contrib.django.flavour import TaskContext
from windlass.contrib.django.task import task


@task(queue_name="mail", max_attempts=5, timeout=30)
def confirm(number: int, *, loudly: bool = False) -> str:
    """Say that an order was taken."""
    said = f"{Order.objects.get(pk=number).to} is on its way"
    return said.upper() if loudly else said


@task
async def count() -> int:
    """Count the orders."""
    return await Order.objects.acount()


@task(takes_context=True)
def told(context: TaskContext[..., Any]) -> list[object]:
    """Say what a task knows of itself."""
    return [context.task_result.id, context.attempt, context.task_result.args]


@task(max_attempts=2)
def fail(why: str) -> None:
    """Fail, and fail again."""
    raise ValueError(why)


@task
async def give_up() -> None:
    """Fail at once, for good."""
    raise Discard("there is no use")
