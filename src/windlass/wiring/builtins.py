"""The types of job that every worker knows, whatever app it works for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from windlass.bell.base import ASKED, EVERY, WIDE, Bell
from windlass.clock import Clock
from windlass.core.bulk import Step
from windlass.core.errors import BadInput
from windlass.executors.base import Executor, Registry
from windlass.executors.bulk import Bulk, Jobs
from windlass.executors.handlers import from_object

# More than these are not worth naming.
MAX_QUEUES = 8
# A chunk may be for everybody who waits.
MANY = 1_000


class Staffing(Registry):
    """An app's types as they are at any moment, and ours; the app's own registry stays as it is."""

    def __init__(self, app: Registry, ours: Mapping[str, Executor]) -> None:
        """Refuse an app that has declared one of ours."""
        super().__init__()
        self._app = app
        self._ours = ours
        for type_ in ours.keys() & set(app.types()):
            raise BadInput(
                f"job type {type_!r} is Windlass's own; give {app.get(type_).origin} another one:"
                " @app.job(type=…)"
            )

    def get(self, type_: str) -> Executor:
        """The executor of this type."""
        return self._ours.get(type_) or self._app.get(type_)

    def types(self) -> list[str]:
        """Every type there is an executor for."""
        return [*self._app.types(), *self._ours]

    async def close(self) -> None:
        """Have the app's executors let go of what they hold open; ours hold nothing."""
        await self._app.close()


def staffed(app: Registry, jobs: Jobs, bell: Bell, clock: Clock) -> Registry:
    """What a worker at this store knows."""
    bulk = from_object(Bulk(jobs, partial(_ring, bell), clock), {})
    return Staffing(app, {bulk.type: bulk})


async def _ring(bell: Bell, step: Step) -> None:
    queues = list(step.queues) if len(step.queues) <= MAX_QUEUES else [EVERY]
    words = [*queues, WIDE] if queues else []
    if step.asked:
        words.append(ASKED)
    if words:
        await bell.ring(words, MANY)
