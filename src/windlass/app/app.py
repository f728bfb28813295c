"""The app: declares jobs, and knows the verbs for them."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar, Unpack, cast, overload

from windlass.app.blocking import Blocking
from windlass.app.bridge import Bridge
from windlass.app.home import Home
from windlass.app.jobtype import Declare, JobType
from windlass.app.options import Options, applied, drafted, template
from windlass.app.ports import Ports
from windlass.app.verbs import Verbs
from windlass.core.job import NewJob
from windlass.executors.context import Context
from windlass.executors.handlers import Declaration, from_function, from_object

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
T_contra = TypeVar("T_contra", contravariant=True)


class Executes(Protocol[T_contra, R_co]):
    """An object that can be registered as an executor."""

    @property
    def type(self) -> str:
        """The type of job it executes."""
        ...

    @property
    def execute(self) -> Callable[[T_contra, Context], R_co]:
        """Run one attempt."""
        ...


class App(Verbs):
    """The front door over a store that wiring brings."""

    def __init__(self, ports: Ports) -> None:
        """Know no job yet, and open nothing."""
        super().__init__(ports)
        self.blocking = Blocking(self, Bridge(self._homes))

    @overload
    def job(
        self, handler: Callable[Concatenate[Context, P], R], /
    ) -> JobType[Concatenate[Context, P], P, R]: ...

    @overload
    def job(self, handler: Callable[P, R], /) -> JobType[P, P, R]: ...

    @overload
    def job(self, **declared: Unpack[Declaration]) -> Declare: ...

    def job(self, handler: Callable[..., Any] | None = None, **declared: Any) -> Any:
        """Declare a function as a type of job: `@app.job`, or `@app.job(queue="mail", …)`."""

        def declare(handler: Callable[..., Any]) -> JobType[..., ..., Any]:
            executor = from_function(handler, self._declared(cast("Declaration", declared)))
            self.registry.add(executor)
            return JobType(handler, executor, self, self._ports.chance)

        return declare if handler is None else declare(handler)

    def register(
        self, executor: Executes[T_contra, R], **declared: Unpack[Declaration]
    ) -> JobType[[T_contra, Context], [T_contra], R]:
        """Declare an object with a `type` and `execute(payload, ctx)` as a type of job."""
        made = from_object(executor, self._declared(declared))
        self.registry.add(made)
        return JobType(executor.execute, made, self, self._ports.chance)

    def job_of(self, type: str, payload: object, **options: Unpack[Options]) -> NewJob:  # noqa: A002
        """A new job of the type with this name; the payload is a value, or JSON as bytes."""
        executor = self.registry.get(type)
        asked = applied(template(executor), options)
        return drafted(self._ports.chance.job_id(), asked, executor.validate, payload)

    async def home(self) -> Home:
        """The store and the bell as they are open on this event loop."""
        return await self._homes.here()

    def _declared(self, declared: Declaration) -> Declaration:
        return {"backoff": self._ports.backoff, **declared}

    async def __aenter__(self) -> Self:
        await self._homes.here()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of what is open on this event loop; the next verb opens it again."""
        await self._homes.close()
