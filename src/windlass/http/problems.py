"""Errors as answers: RFC 9457 problems, one status for each cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import msgspec

from windlass.core import errors
from windlass.core.errors import WindlassError
from windlass.http.answer import Answer, Header
from windlass.wire.problem import KIND, Problem

PROBLEM = b"application/problem+json"
RETRY_SOON: Header = (b"retry-after", b"1")


class Refusal(Exception):
    """A request that is answered with a problem."""

    def __init__(
        self,
        status: int,
        name: str,
        detail: str,
        *,
        headers: Sequence[Header] = (),
        errors: list[dict[str, Any]] | None = None,
    ) -> None:
        """`name` says the kind of problem in a word or two, for programs."""
        super().__init__(detail)
        self.status = status
        self.name = name
        self.detail = detail
        self.headers = tuple(headers)
        self.errors = errors


# A class stands for those derived from it, unless they stand here themselves.
CAUSES: Mapping[type[WindlassError], tuple[int, str]] = {
    errors.UnknownType: (422, "unknown-type"),
    errors.BadQuery: (400, "bad-query"),
    errors.BadPayload: (422, "bad-payload"),
    errors.PayloadTooLarge: (413, "too-large"),
    errors.BadStore: (503, "store-away"),
    errors.BadInput: (422, "bad-input"),
    errors.UnknownJob: (404, "unknown-job"),
    errors.UnknownWorker: (404, "unknown-worker"),
    errors.WrongState: (409, "wrong-state"),
    errors.KeyTaken: (422, "key-taken"),
    errors.StoreAway: (503, "store-away"),
    errors.Busy: (503, "busy"),
    errors.NotMigrated: (503, "not-migrated"),
}


def refusal(error: Exception) -> Refusal:
    """The error as a refusal; one that nobody foresaw tells nothing of our inside."""
    if isinstance(error, Refusal):
        return error
    for kind in type(error).__mro__:
        if kind in CAUSES:
            status, name = CAUSES[kind]
            headers = (RETRY_SOON,) if status == HTTPStatus.SERVICE_UNAVAILABLE else ()
            return Refusal(status, name, _told(error, status), headers=headers)
    return Refusal(500, "internal", "something broke here; the log has the request id and the why")


def answer(error: Exception, request_id: str | None = None) -> Answer:
    """The error as an answer."""
    refused = refusal(error)
    body = msgspec.json.encode(as_problem(refused, request_id))
    return Answer(refused.status, body, refused.headers, PROBLEM)


def as_problem(refused: Refusal, request_id: str | None = None) -> Problem:
    """The refusal as the document that is sent."""
    return Problem(
        type=f"{KIND}{refused.name}",
        title=HTTPStatus(refused.status).phrase,
        status=refused.status,
        detail=refused.detail,
        request_id=request_id,
        errors=refused.errors,
    )


def _told(error: Exception, status: int) -> str:
    """What the asker is told: of our database's troubles only that they are there."""
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        return "the store cannot be reached right now, or is busy; try again in a moment"
    return str(error)
