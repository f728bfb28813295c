"""Turns a function, or an object with `execute`, into an executor."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from datetime import timedelta
from types import FunctionType, MethodType
from typing import Any, Literal, TypedDict, cast

from msgspec.structs import replace

from windlass.core import limits
from windlass.core.backoff import Backoff
from windlass.core.errors import BadInput, BadPayload, BadResult
from windlass.core.job import DEFAULT_MAX_ATTEMPTS, DEFAULT_MAX_CRASHES, DEFAULT_QUEUE
from windlass.executors import documents, shape
from windlass.executors.base import Executor, Mode
from windlass.executors.context import Context
from windlass.executors.signature import Argument, Arguments, arguments

Handler = Callable[..., Any]


class Declaration(TypedDict, total=False):
    """What can be said about a type of job where it is declared."""

    type: str
    queue: str
    max_attempts: int
    max_crashes: int
    timeout: float | timedelta | None
    priority: int
    thread_demand: int
    backoff: Backoff | None
    isolation: Literal["process"] | None
    memory_limit: int | None


OPTIONS = Declaration.__optional_keys__


def from_function(handler: Handler, declared: Declaration) -> Executor:
    """An executor whose payload has a field for each argument of the function."""
    if not isinstance(handler, FunctionType | MethodType):
        raise BadInput(f"a handler must be a function, not {handler!r}; register objects instead")
    type_ = limits.type_name(declared.get("type", handler.__name__))
    taken = arguments(handler)
    payload = shape.of_arguments(type_, taken)
    call = _by_name(handler, payload.read, taken)
    gather = _gather_by_name(type_, taken)
    return _executor(handler, declared, payload, call, gather, wants=taken.context is not None)


def from_object(executor: object, declared: Declaration) -> Executor:
    """An executor made of an object with a `type` and `execute(payload, ctx)`.

    The payload is one document of the shape that annotates the first argument. Whatever else a
    declaration may say is read from attributes of the object, unless it is declared here. If it
    has a coroutine `close`, a worker awaits it when it ends.
    """
    handler = getattr(executor, "execute", None)
    if not isinstance(handler, MethodType) or not hasattr(executor, "type"):
        raise BadInput(
            f"{type(executor).__name__} is no executor: it needs an attribute `type` and a method"
            " `execute(self, payload, ctx)`"
        )
    said = {name: getattr(executor, name) for name in OPTIONS if hasattr(executor, name)}
    declared = cast("Declaration", {**said, **declared})
    type_ = limits.type_name(declared["type"])
    taken, context = _document(handler)
    payload = shape.of_document(type_, taken.hint)
    call = _by_document(handler, payload.read, taken.name, context)
    gather = _gather_document(type_)
    made = _executor(handler, declared, payload, call, gather, wants=context is not None)
    described = made.description or _first_line(type(executor))
    close = getattr(executor, "close", None)
    held = close if inspect.iscoroutinefunction(close) else None
    return replace(made, close=held, description=described)


def _executor(
    handler: Handler,
    declared: Declaration,
    payload: shape.Shape,
    call: Callable[[str, Context | None], Any],
    gather: Callable[[tuple[Any, ...], Mapping[str, Any]], Any],
    *,
    wants: bool,
) -> Executor:
    _check(handler, declared)
    mode = _mode(handler, declared)
    if mode is Mode.PROCESS and inspect.iscoroutinefunction(handler):
        call = _on_a_loop_of_its_own(call)
    demand = declared.get("thread_demand")
    return Executor(
        type=payload.type,
        mode=mode,
        origin=f"{handler.__module__}:{handler.__qualname__}",
        call=call,
        encode=_encoder(payload.type),
        gather=gather,
        validate=payload.write,
        schema=payload.schema,
        wants_context=wants,
        queue=limits.queue(declared.get("queue", DEFAULT_QUEUE)),
        max_attempts=limits.max_attempts(declared.get("max_attempts", DEFAULT_MAX_ATTEMPTS)),
        max_crashes=limits.max_crashes(declared.get("max_crashes", DEFAULT_MAX_CRASHES)),
        priority=limits.priority(declared.get("priority", 0)),
        threads=0 if demand is None else limits.thread_demand(demand),
        timeout=limits.timeout(declared.get("timeout")),
        backoff=limits.backoff(declared.get("backoff")),
        memory_limit=limits.memory_limit(declared.get("memory_limit")),
        description=_first_line(handler),
    )


def _first_line(documented: object) -> str | None:
    """What its author says that it does."""
    written = getattr(documented, "__doc__", None) or ""
    return written.strip().partition("\n")[0].strip() or None


def _check(handler: Handler, declared: Declaration) -> None:
    unknown = declared.keys() - OPTIONS
    if unknown:
        raise BadInput(f"a job has no {min(unknown)!r}; it has {', '.join(sorted(OPTIONS))}")
    if inspect.isgeneratorfunction(handler) or inspect.isasyncgenfunction(handler):
        raise BadInput(f"{handler.__qualname__} yields; a handler returns its result")
    if declared.get("memory_limit") is not None and declared.get("isolation") != "process":
        raise BadInput("memory_limit caps a process of its own; add isolation='process'")


def _mode(handler: Handler, declared: Declaration) -> Mode:
    match declared.get("isolation"):
        case None:
            return Mode.LOOP if inspect.iscoroutinefunction(handler) else Mode.THREAD
        case "process":
            return Mode.PROCESS
        case other:
            raise BadInput(f"isolation is 'process' or left out, not {other!r}")


def _by_name(
    handler: Handler, read: Callable[[str], dict[str, Any]], taken: Arguments
) -> Callable[[str, Context | None], Any]:
    def without_arguments(text: str, _ctx: Context | None) -> Any:
        # Nothing to read, but a payload from before the arguments went away must not pass.
        if text != "{}":
            read(text)
        return handler()

    def without_context(text: str, _ctx: Context | None) -> Any:
        return handler(**read(text))

    if taken.context is not None:
        return _with_context(handler, read, taken.context)
    return without_context if taken.fields or taken.rest else without_arguments


def _with_context(
    handler: Handler, read: Callable[[str], dict[str, Any]], name: str
) -> Callable[[str, Context | None], Any]:
    return lambda text, ctx: handler(**read(text), **{name: ctx})


def _by_document(
    handler: Handler, read: Callable[[str], Any], name: str, context: str | None
) -> Callable[[str, Context | None], Any]:
    if context is None:
        return lambda text, _ctx: handler(**{name: read(text)})
    return lambda text, ctx: handler(**{name: read(text), context: ctx})


def _on_a_loop_of_its_own(
    call: Callable[[str, Context | None], Any],
) -> Callable[[str, Context | None], Any]:
    return lambda text, ctx: asyncio.run(call(text, ctx))


def _encoder(type_: str) -> Callable[[Any], str | None]:
    def encode(result: Any) -> str | None:
        if result is None:
            return None
        try:
            return documents.write(result)
        except documents.TooLarge as problem:
            raise BadResult(type_, f"{problem}; keep it as a file: ctx.keep(…)") from None
        except ValueError as problem:
            raise BadResult(type_, str(problem)) from None

    return encode


def _gather_by_name(
    type_: str, taken: Arguments
) -> Callable[[tuple[Any, ...], Mapping[str, Any]], Mapping[str, Any]]:
    names = taken.positional

    def gather(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
        if not args:
            return kwargs
        if len(args) > len(names):
            raise BadPayload(type_, f"{len(args)} arguments by position, {len(names)} at most")
        given = dict(zip(names, args, strict=False))
        twice = given.keys() & kwargs.keys()
        if twice:
            raise BadPayload(type_, f"`{min(twice)}` is given twice")
        return {**given, **kwargs}

    return gather


def _gather_document(type_: str) -> Callable[[tuple[Any, ...], Mapping[str, Any]], Any]:
    def gather(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if kwargs or len(args) != 1:
            raise BadPayload(type_, "give the payload as one argument")
        return args[0]

    return gather


def _document(handler: Handler) -> tuple[Argument, str | None]:
    """The argument that takes the payload, and the name of the one that takes the context."""
    taken = arguments(handler)
    payload, *others = taken.fields or (None,)
    # `execute(self, payload, ctx)` without annotations says enough.
    context = [taken.context] if taken.context else [other.name for other in others]
    if payload is None or taken.rest or len(context) > 1 or (taken.context and others):
        raise BadInput(
            f"{handler.__qualname__} must take the payload and, if it wants, the context:"
            " execute(self, payload: Shape, ctx: Context)"
        )
    return payload, context[0] if context else None
