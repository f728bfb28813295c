"""What was enqueued, for tests to look at.

Plain functions even in async tests: an assertion that is not awaited asserts nothing.
"""

from __future__ import annotations

from typing import Any

import msgspec

from windlass.app import App, Job, JobType
from windlass.executors.documents import to_plain
from windlass.testing.aside import aside

MOST = 1_000


def enqueued(app: App, type: JobType[..., ..., Any] | str | None = None, /) -> list[Job]:  # noqa: A002
    """The jobs of this type, or all, in the order in which they were enqueued."""
    wanted = type.type if isinstance(type, JobType) else type

    async def read() -> list[Job]:
        try:
            return await app.jobs(limit=MOST)
        finally:
            await app.close()

    return [job for job in reversed(aside(read)) if wanted in (None, job.type)]


def assert_enqueued(app: App, type: JobType[..., ..., Any] | str, /, **payload: Any) -> Job:  # noqa: A002
    """The newest job of this type with at least these fields in its payload; fails without one."""
    wanted = msgspec.to_builtins(payload, enc_hook=to_plain)
    jobs = enqueued(app)
    name = type.type if isinstance(type, JobType) else type
    for job in reversed(jobs):
        if job.type == name and _includes(job.payload, wanted):
            return job
    seen = "".join(f"\n  {job.type} {job.payload}" for job in jobs) or " nothing"
    raise AssertionError(f"no job {name} with {wanted} was enqueued, but:{seen}")


def _includes(payload: Any, wanted: dict[str, Any]) -> bool:
    if not isinstance(payload, dict):
        return not wanted
    return all(name in payload and payload[name] == value for name, value in wanted.items())
