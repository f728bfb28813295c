"""The types of job that every worker knows, whatever app it works for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from windlass.bell.base import ASKED, EVERY, Bell
from windlass.clock import Clock
from windlass.core.bulk import Step
from windlass.core.errors import BadInput
from windlass.executors.base import Executor, Registry
from windlass.executors.bulk import Bulk, Jobs
from windlass.executors.handlers import from_object

# More than these are not worth naming.
MAX_QUEUES = 8


class Staffing(Registry):
    """An app's types as they are at any moment, and ours; the app's own registry stays as it is."""

    def __init__(self, app: Registry, ours: Iterable[Executor]) -> None:
        """Refuse an app that has declared one of ours."""
        super().__init__()
        self._app = app
        for executor in ours:
            self.add(executor)
        for type_ in set(super().types()) & set(app.types()):
            raise BadInput(
                f"job type {type_!r} is Windlass's own; give {app.get(type_).origin} another one:"
                " @app.job(type=…)"
            )

    def get(self, type_: str) -> Executor:
        """The executor of this type."""
        return super().get(type_) if type_ in super().types() else self._app.get(type_)

    def types(self) -> list[str]:
        """Every type there is an executor for."""
        return [*self._app.types(), *super().types()]

    async def close(self) -> None:
        """Have every executor let go of what it holds open."""
        await self._app.close()
        await super().close()


def staffed(app: Registry, jobs: Jobs, bell: Bell, clock: Clock) -> Registry:
    """What a worker at this store knows."""
    return Staffing(app, [from_object(Bulk(jobs, partial(_ring, bell), clock), {})])


async def _ring(bell: Bell, step: Step) -> None:
    queues = list(step.queues) if len(step.queues) <= MAX_QUEUES else [EVERY]
    words = [*queues, ASKED] if step.asked else queues
    if words:
        await bell.ring(words)
