"""From an answer to a value, or to the error that says why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import TypeVar

import msgspec

from windlass.client.errors import (
    BadAnswer,
    BadRequest,
    KeyTaken,
    NotAllowed,
    NotNow,
    NotThere,
    Refused,
    WrongState,
)
from windlass.client.exchange import Answer
from windlass.core.errors import WindlassError
from windlass.wire.problem import KIND, Problem

T = TypeVar("T")

BY_NAME: Mapping[str, type[Refused]] = {"key-taken": KeyTaken}
BY_STATUS: Mapping[int, type[Refused]] = {
    HTTPStatus.BAD_REQUEST: BadRequest,
    HTTPStatus.UNAUTHORIZED: NotAllowed,
    HTTPStatus.FORBIDDEN: NotAllowed,
    HTTPStatus.NOT_FOUND: NotThere,
    HTTPStatus.CONFLICT: WrongState,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: BadRequest,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: BadRequest,
    HTTPStatus.UNPROCESSABLE_ENTITY: BadRequest,
    HTTPStatus.TOO_MANY_REQUESTS: NotNow,
    HTTPStatus.BAD_GATEWAY: NotNow,
    HTTPStatus.SERVICE_UNAVAILABLE: NotNow,
    HTTPStatus.GATEWAY_TIMEOUT: NotNow,
}
# Of what somebody else says, so much is passed on.
MOST_QUOTED = 200


def value(answer: Answer, shape: type[T]) -> T:
    """What the answer says, in its shape; raises what the service refused it for."""
    body = content(answer)
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.DecodeError, UnicodeError) as problem:
        raise BadAnswer(str(problem)) from problem


def content(answer: Answer) -> bytes:
    """The body as it came; raises what the service refused it for."""
    if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
        raise refusal(answer)
    return answer.body


def refusal(answer: Answer) -> WindlassError:
    """The refusal as an error, in the service's words."""
    if answer.status < HTTPStatus.BAD_REQUEST:
        return BadAnswer(f"it leads elsewhere, to {answer.headers.get('location')}")
    problem = _problem(answer)
    kind = BY_NAME.get(problem.type.removeprefix(KIND)) or BY_STATUS.get(answer.status, Refused)
    return kind(problem)


def _problem(answer: Answer) -> Problem:
    try:
        return msgspec.json.decode(answer.body, type=Problem)
    except (msgspec.DecodeError, UnicodeError):
        return _of_somebody_else(answer)


def _of_somebody_else(answer: Answer) -> Problem:
    """A proxy has answered, or whoever else is there."""
    said = " ".join(answer.body[:MOST_QUOTED].decode(errors="replace").split())
    return Problem(
        type="about:blank",
        title="",
        status=answer.status,
        detail=f"refused with status {answer.status}, not in the words of Windlass: {said}",
    )
