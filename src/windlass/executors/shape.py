"""The shape of a payload: how its JSON text is written, checked and read."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter
from types import GenericAlias
from typing import Any

import msgspec
from msgspec import Struct

from windlass.core.errors import BadInput, BadPayload
from windlass.executors import documents
from windlass.executors.signature import Argument, Arguments

# Defaults that may stand in a struct as they are; others could be changed by whoever gets them.
PLAIN = (type(None), bool, int, float, str, bytes)


class Shape(Struct, frozen=True):
    """What the payload of one type of job must look like."""

    type: str
    model: Any  # the type that JSON Schema describes
    read: Callable[[str], Any]  # the payload as the handler takes it; raises BadPayload
    check: Callable[[str], object]  # whether it can be read; raises BadPayload

    def write(self, payload: Any) -> str:
        """The payload's JSON text, read once on the way, so that the worker can read it too."""
        text = documents.payload(self.type, payload)
        self.check(text)
        return text

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the payload."""
        return msgspec.json.schema(self.model, schema_hook=_schema)


def of_document(type_: str, hint: Any) -> Shape:
    """The shape of a payload that is one document of this type."""
    read = _reader(type_, _decoder(type_, hint).decode)
    return Shape(type_, hint, read, read)


def of_arguments(type_: str, arguments: Arguments) -> Shape:
    """The shape of a payload that is an object with a field for each argument."""
    model = _model(type_, arguments)
    decode = _decoder(type_, model).decode
    if arguments.rest is None:
        return Shape(type_, model, _reader(type_, _by_name(decode)), _reader(type_, decode))
    read = _reader(type_, _with_rest(type_, decode, arguments, arguments.rest))
    return Shape(type_, model, read, read)


def _model(type_: str, arguments: Arguments) -> type[msgspec.Struct]:
    try:
        return msgspec.defstruct(
            type_,
            [_field(argument) for argument in arguments.fields],
            kw_only=True,
            forbid_unknown_fields=arguments.rest is None,
        )
    except (TypeError, RuntimeError) as problem:
        raise BadInput(f"the arguments of job type {type_!r} make no payload: {problem}") from None


def _field(argument: Argument) -> tuple[str, Any] | tuple[str, Any, Any]:
    name, hint, default = argument
    if default is Parameter.empty:
        return name, hint
    if isinstance(default, PLAIN):
        return name, hint, default
    return name, hint, msgspec.field(default_factory=lambda: default)


def _decoder(type_: str, model: Any) -> msgspec.json.Decoder[Any]:
    try:
        return msgspec.json.Decoder(model, dec_hook=documents.from_plain)
    except (TypeError, NameError) as problem:
        raise BadInput(f"the payload of job type {type_!r} has no shape: {problem}") from None


def _reader(type_: str, decode: Callable[[str], Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            return decode(text)
        except (msgspec.MsgspecError, TypeError) as problem:
            raise BadPayload(type_, str(problem)) from None

    return read


def _by_name(decode: Callable[[str], Any]) -> Callable[[str], dict[str, Any]]:
    by_name = msgspec.structs.asdict

    def read(text: str) -> dict[str, Any]:
        return by_name(decode(text))

    return read


def _with_rest(
    type_: str, decode: Callable[[str], Any], arguments: Arguments, rest: Argument
) -> Callable[[str], dict[str, Any]]:
    """Read fields of any name too; they fit the annotation of `**more`."""
    named = {argument.name for argument in arguments.fields}
    every = msgspec.json.Decoder(dict[str, Any])
    fitting: Any = GenericAlias(dict, (str, rest.hint))

    def read(text: str) -> dict[str, Any]:
        fields = msgspec.structs.asdict(decode(text))
        more = {name: value for name, value in every.decode(text).items() if name not in named}
        if arguments.context in more:
            raise BadPayload(type_, f"`{arguments.context}` is given by the worker")
        return {**fields, **msgspec.convert(more, fitting, dec_hook=documents.from_plain)}

    return read


def _schema(type_: type[Any]) -> dict[str, Any]:
    # With a name of its own it is a document in the document: what it defines is found inside it.
    name = f"urn:windlass:{type_.__module__}.{type_.__qualname__}"
    return {"$id": name, **type_.model_json_schema()}
