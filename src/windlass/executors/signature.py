"""What a handler's signature says: the payload's fields, and whether it wants the context."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from inspect import Parameter
from typing import Any

from msgspec import Struct

from windlass.core.errors import BadInput
from windlass.executors.context import Context


class Argument(typing.NamedTuple):
    """One argument that comes from the payload. No annotation means anything goes."""

    name: str
    hint: Any
    default: Any = Parameter.empty


class Arguments(Struct, frozen=True, kw_only=True):
    """Everything a handler takes."""

    fields: tuple[Argument, ...]
    positional: tuple[str, ...]  # those that may be given by position
    context: str | None  # the argument that receives the context
    rest: Argument | None  # the `**more` that takes fields of any name


def arguments(handler: Callable[..., Any]) -> Arguments:
    """Read a handler's signature, with annotations written as strings resolved."""
    parameters = inspect.signature(handler).parameters.values()
    hints = _hints(handler)
    for parameter in parameters:
        _refuse_nameless(handler, parameter)
    context = [p.name for p in parameters if _is_context(hints.get(p.name))]
    if len(context) > 1:
        raise BadInput(f"{handler.__qualname__} asks for the Context more than once")
    taken = [
        (p.kind, Argument(p.name, hints.get(p.name, Any), p.default))
        for p in parameters
        if p.name not in context
    ]
    rest = [argument for kind, argument in taken if kind is Parameter.VAR_KEYWORD]
    return Arguments(
        fields=tuple(argument for kind, argument in taken if kind is not Parameter.VAR_KEYWORD),
        positional=tuple(a.name for kind, a in taken if kind is Parameter.POSITIONAL_OR_KEYWORD),
        context=context[0] if context else None,
        rest=rest[0] if rest else None,
    )


def _refuse_nameless(handler: Callable[..., Any], parameter: Parameter) -> None:
    """A payload is kept by name, so every argument must be one that has a name."""
    if parameter.kind is Parameter.VAR_POSITIONAL:
        raise BadInput(
            f"{handler.__qualname__} takes *{parameter.name}, but a job's arguments are kept by"
            f" name; take a list instead: {parameter.name}: list[…]"
        )
    if parameter.kind is Parameter.POSITIONAL_ONLY:
        raise BadInput(
            f"{handler.__qualname__} takes {parameter.name} by position only, but a job's arguments"
            " are kept by name; remove the '/'"
        )


def _hints(handler: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of the arguments; the result's may name what is not there at run time."""
    function = inspect.unwrap(getattr(handler, "__func__", handler))
    bare = types.FunctionType(function.__code__, function.__globals__, closure=function.__closure__)
    try:
        bare.__annotations__ = {**inspect.get_annotations(function)}
        bare.__annotations__.pop("return", None)
        return typing.get_type_hints(bare, include_extras=True)
    except NameError as problem:
        raise BadInput(
            f"an annotation of {handler.__qualname__} cannot be resolved: {problem}; it must be"
            " defined in the module and imported outside of `if TYPE_CHECKING:`"
        ) from problem


def _is_context(hint: Any) -> bool:
    """`Context`, `Context | None` and `Annotated[Context, …]` all ask for it."""
    if typing.get_origin(hint) in (typing.Annotated, typing.Union, types.UnionType):
        return any(_is_context(part) for part in typing.get_args(hint))
    return hint is Context
