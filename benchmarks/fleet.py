"""A worker: a supervisor and its processes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from benchmarks.program import Program, program, with_redis
from benchmarks.sites import Site


@asynccontextmanager
async def fleet(site: Site, size: int = 1, redis: str | None = None) -> AsyncIterator[Program]:
    """A running `windlass worker`."""
    env = {"WINDLASS_STORE": site.url, "WINDLASS_LOG": "warning", **with_redis(redis)}
    words = ("worker", "--app", "benchmarks.app:app", f"--processes={size}")
    async with program(*words, env=env) as worker:
        yield worker
