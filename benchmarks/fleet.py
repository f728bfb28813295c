"""A worker: a supervisor and its processes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from benchmarks.program import Program, program, with_redis
from benchmarks.sites import Site
from benchmarks.steps import TRACED


@asynccontextmanager
async def fleet(
    site: Site, size: int = 1, redis: str | None = None, *, traced: bool = False
) -> AsyncIterator[Program]:
    """A running `windlass worker`; one that is `traced` takes note of its steps."""
    env = {"WINDLASS_STORE": site.url, "WINDLASS_LOG": "warning", **with_redis(redis)}
    if traced:
        env[TRACED] = "1"
    words = ("worker", "--app", "benchmarks.app:app", f"--processes={size}")
    async with program(*words, env=env) as worker:
        yield worker
