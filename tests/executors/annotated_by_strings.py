"""Handlers whose annotations are strings, as in most modules of today."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any

from windlass.executors.context import Context

if TYPE_CHECKING:
    from decimal import Decimal


def later(when: date, ctx: Context) -> tuple[date, Context] | Decimal:
    """The result's annotation names what is not there at run time, and that is fine."""
    return when, ctx


def with_local_annotation() -> Callable[..., Any]:
    """A handler annotated with a class that nobody else can see."""

    class Hidden:
        pass

    def handler(value: Hidden) -> None:
        pass

    return handler
