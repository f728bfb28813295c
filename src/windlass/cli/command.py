"""Turns a verb into a command: with the common options, and a desk that is cleared afterwards."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Coroutine
from inspect import Parameter
from typing import Any, Concatenate, ParamSpec, TypeAlias, cast

import typer

from windlass.cli.common import AsJson, Common, StoreUrl
from windlass.cli.desk import Desk

P = ParamSpec("P")
Verb: TypeAlias = Callable[Concatenate[Desk, P], Coroutine[Any, Any, None] | None]

COMMON = (
    Parameter("ctx", Parameter.KEYWORD_ONLY, annotation=typer.Context),
    Parameter("store", Parameter.KEYWORD_ONLY, default=None, annotation=StoreUrl),
    Parameter("json", Parameter.KEYWORD_ONLY, default=False, annotation=AsJson),
)


def command(verb: Verb[P]) -> Callable[..., None]:
    """The verb as a command; in place of the desk it asks for the common options."""
    own = inspect.signature(verb, eval_str=True)

    @functools.wraps(verb)
    def run(*, ctx: typer.Context, store: str | None, json: bool, **arguments: Any) -> None:
        before: Common = ctx.obj
        desk = Desk(_agreed(store or before.store), json=json or before.json, muster=before.muster)
        work = cast("Any", verb)(desk, **arguments)
        if work is not None:
            import asyncio  # noqa: PLC0415 - slow, and `worker` tells its first process more before

            asyncio.run(_cleared(desk, work))

    asked = list(own.parameters.values())[1:]
    cast("Any", run).__signature__ = own.replace(parameters=[*asked, *COMMON])
    return run


def _agreed(store: str | None) -> str | None:
    """An app that names no store of its own, and every process we start, uses the same one."""
    if store is not None:
        os.environ["WINDLASS_STORE"] = store
    return store


async def _cleared(desk: Desk, work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    finally:
        await desk.close()
