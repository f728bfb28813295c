"""Reads what was asked, strictly: what does not fit its shape is refused with the reason."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

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
    known = [field.encode_name for field in msgspec.structs.fields(shape)]
    nothing = shape()

    def read(request: Request) -> Any:
        if not request.scope["query_string"]:
            return nothing
        found = request.parameters()
        for name in found:
            if name not in known:
                raise Refusal(
                    400, "bad-query", f"no parameter {name!r}; there are {', '.join(known)}"
                )
        try:
            return msgspec.convert(found, shape, strict=False)
        except msgspec.ValidationError as problem:
            raise Refusal(400, "bad-query", in_words(problem)) from None

    return read


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
