"""Reads what was asked, strictly: what does not fit its shape is refused with the reason."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, get_args, get_origin

import msgspec

from windlass.http.problems import Refusal
from windlass.http.request import Request


def body_reader(shape: Any) -> Callable[[Request], Awaitable[Any]]:
    """Reads the body of a request as JSON of this shape."""
    decode = msgspec.json.Decoder(shape).decode

    async def read(request: Request) -> Any:
        _refuse_other_media(request.headers.get(b"content-type", b""))
        text = await request.body()
        try:
            return decode(text)
        except msgspec.ValidationError as problem:
            raise Refusal(422, "bad-body", in_words(problem)) from None
        except RecursionError:
            raise Refusal(400, "bad-json", "the body is nested too deeply") from None
        except (msgspec.DecodeError, UnicodeError) as problem:
            raise Refusal(400, "bad-json", f"the body is not JSON: {problem}") from None

    return read


def query_reader(shape: type[msgspec.Struct]) -> Callable[[Request], Any]:
    """Reads the parameters of a request; each arrives as text and becomes what the field is."""
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(shape)}
    nothing = shape()

    def read(request: Request) -> Any:
        if not request.scope["query_string"]:
            return nothing
        found = request.parameters()
        return shape(**{name: _value(name, text, fields) for name, text in found.items()})

    return read


def _value(name: str, text: str, fields: Mapping[str, Any]) -> Any:
    if name not in fields:
        raise Refusal(400, "bad-query", f"no parameter {name!r}; there are {', '.join(fields)}")
    hint = fields[name]
    try:
        # Only a number is not written as JSON text has it; lenient towards more than that,
        # a date could be given as a number too.
        return msgspec.convert(text, hint, strict=_base(hint) is not int)
    except msgspec.ValidationError as problem:
        raise Refusal(400, "bad-query", f"{name}: {in_words(problem)}") from None


def _base(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def in_words(problem: msgspec.ValidationError) -> str:
    """What does not fit, without the marks that only programs use."""
    what, _, where = str(problem).partition(" - at ")
    where = where.strip("`").removeprefix("$").removeprefix(".")
    return f"{where}: {what}".replace("`", "") if where else what.replace("`", "")


def _refuse_other_media(media: bytes) -> None:
    kind = media.split(b";", 1)[0].strip().lower()
    if kind != b"application/json" and not kind.endswith(b"+json"):
        raise Refusal(
            415, "not-json", "send JSON, and say so with the header Content-Type: application/json"
        )
