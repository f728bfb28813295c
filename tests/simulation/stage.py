"""What the handlers of a simulated fleet do, and the registry that knows them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.simulation.plan import BACKOFF_BASE, BACKOFF_CAP, Act, Kind
from windlass.core.backoff import Backoff
from windlass.executors.base import Cancel, Discard, Executor, Mode, Registry, Retry, Snooze
from windlass.executors.context import Context
from windlass.store.records import TypeRecord

TYPE = "act"
PAUSE = 0.7
SNOOZE = 0.3
KEPT = "insert into simulated_effects (job, fence) values (?, ?)"


class Broken(Exception):
    """What a handler raises."""


async def perform(_payload: str, ctx: Context | None) -> Any:
    """Do what the plan says for this execution, and tell the model what came of it."""
    assert ctx is not None
    process = asyncio.get_running_loop().process  # type: ignore[attr-defined]
    world = process.world
    act = world.begins(process, ctx)
    end = "lost"  # its claim, or the store
    try:
        end = await _play(world, process, act, ctx)
    except (Broken, Snooze, Cancel, Discard, Retry) as verdict:
        end = VERDICTS[type(verdict)]
        raise
    except asyncio.CancelledError:
        end = "stopped"
        raise
    finally:
        if not process.dead:
            world.ends(process, ctx, end)
    return ctx.fence


VERDICTS = {Broken: "fail", Snooze: "snooze", Cancel: "give up", Discard: "final", Retry: "later"}


async def _play(world: Any, process: Any, act: Act, ctx: Context) -> str:
    ctx.progress(0.5)
    if act.kind is Kind.DEAF:
        await _deafly(act.takes)
    elif act.takes:
        await asyncio.sleep(act.takes)
    ctx.log("half way")
    if act.kind in (Kind.DONE, Kind.DEAF):
        return act.kind.value
    if act.kind in (Kind.COMMIT, Kind.TORN):
        return await _with_effects(world, act, ctx)
    if act.kind is Kind.DIE:
        world.kill(process, "its job killed it")
        await asyncio.get_running_loop().create_future()
    verdict = RAISED[act.kind]()
    raise verdict


RAISED: dict[Kind, Callable[[], Exception]] = {
    Kind.SNOOZE: partial(Snooze, SNOOZE),
    Kind.LATER: partial(Retry, after=PAUSE),
    Kind.GIVE_UP: Cancel,
    Kind.FINAL: partial(Discard, "never"),
    Kind.FAIL: Broken,
}


async def _deafly(seconds: float) -> None:
    """Sleep, and whoever cancels it, sleep on."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while (left := until - loop.time()) > 0:
        try:
            await asyncio.sleep(left)
        except asyncio.CancelledError:
            continue


async def _with_effects(world: Any, act: Act, ctx: Context) -> str:
    ctx.result(ctx.fence)
    async with ctx.transaction() as connection:
        await connection.execute(KEPT, (ctx.id, ctx.fence))
        if act.kind is Kind.TORN:
            raise Broken
        world.commits(ctx)
    return "commit"


def registry() -> Registry:
    """The one type of job there is."""
    known = Registry()
    known.add(EXECUTOR)
    return known


EXECUTOR = Executor(
    type=TYPE,
    mode=Mode.LOOP,
    origin="simulation",
    call=perform,
    encode=lambda value: None if value is None else str(value),
    gather=lambda args, kwargs: (args, kwargs),
    validate=str,
    schema=dict,
    wants_context=True,
    queue="mail",
    max_attempts=3,
    max_crashes=3,
    priority=0,
    threads=0,
    timeout=None,
    backoff=Backoff(base=BACKOFF_BASE, cap=BACKOFF_CAP),
    memory_limit=None,
)
PUBLISHED = [
    TypeRecord(
        type=TYPE,
        queue="mail",
        priority=0,
        threads=0,
        max_attempts=3,
        max_crashes=3,
        timeout=None,
        mode="loop",
        description=None,
        schema="{}",
    )
]
