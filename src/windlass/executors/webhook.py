"""Calls a URL."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Annotated, Any, ClassVar, Literal, TypedDict
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct

from windlass.clock import Clock
from windlass.core.job import JobId
from windlass.executors.base import Discard, Retry
from windlass.executors.context import Context
from windlass.executors.door import Door
from windlass.executors.exchange import Message, Reply, Terms
from windlass.executors.reach import check_url
from windlass.executors.signing import Signer

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# Those that frame the message, or say who it is from, are not for a payload to set.
RESERVED = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te"}
    | {"trailer", "expect", "accept-encoding", "proxy-authorization", "proxy-connection"}
    | {"webhook-id", "webhook-timestamp", "webhook-signature"}
)
# Refusals that another try may change; other answers of the 4xx kind stay the same.
TEMPORARY = frozenset({408, 409, 425, 429})
MOVED_FOR_GOOD = frozenset({301, 308})

# So much of a body is read, for so long, to have the connection for the next call.
MOST_READ = 64 * 1024
READ_WITHIN = 5.0
KEPT_BODY = 1024
KEPT_HEADERS = 40
KEPT_VALUE = 500
SHOWN_BODY = 200
LONGEST_WAIT = 24 * 3600.0


class NotTaken(Exception):
    """The receiver did not take it, this time."""


class Delivery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The payload of a job of type `webhook`. A body that is text is sent as it is."""

    url: str
    method: Literal["POST", "PUT", "PATCH", "DELETE", "GET", "HEAD"] = "POST"
    body: Any = None
    headers: dict[str, str] = {}
    timeout: Annotated[float, Meta(gt=0, le=300, description="seconds")] = 15.0
    # The statuses that are good; without any, 200 to 299.
    expect: int | tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what could be no request."""
        check_url(self.url)
        for name, value in self.headers.items():
            _check_header(name, value)

    def expects(self, status: int) -> bool:
        """Whether this answer is a good one."""
        if isinstance(self.expect, int):
            return status == self.expect
        return status in self.expect if self.expect else 200 <= status < 300  # noqa: PLR2004


class Delivered(TypedDict):
    """What is kept of an answer."""

    status: int
    headers: dict[str, str]
    body: str
    whole: bool  # whether this is all of the body


class Webhook:
    """Calls a URL with the job's id in `webhook-id` and `Idempotency-Key`.

    The id is the same in every attempt: a receiver knows by it what came twice, because a worker
    died before it could tell that the first call was answered.
    """

    type: ClassVar[str] = "webhook"

    def __init__(self, door: Door, signer: Signer, clock: Clock) -> None:
        """Call whom the door leads to, and sign."""
        self._door = door
        self._signer = signer
        self._clock = clock

    async def execute(self, delivery: Delivery, ctx: Context) -> Delivered:
        """Make one call."""
        within = delivery.timeout
        terms = Terms(within=within, most=MOST_READ, reading=min(within, READ_WITHIN))
        reply = await self._door.send(self._message(delivery, ctx.id), terms, ctx.check)
        if not delivery.expects(reply.status):
            raise refusal(reply, self._clock.now_us() / 1e6)
        return kept(reply)

    async def close(self) -> None:
        """Close every connection."""
        await self._door.close()

    def _message(self, delivery: Delivery, job: JobId) -> Message:
        body, kind = _encoded(delivery.body)
        host = urlsplit(delivery.url).hostname or ""
        signed = self._signer.headers(host, job, body, self._clock.now_us() // 1_000_000)
        # Names as they are given win over ours, however they are written.
        given = {name.lower(): value for name, value in delivery.headers.items()}
        headers = {"user-agent": "Windlass", "idempotency-key": job, **kind, **given}
        return Message(
            method=delivery.method,
            url=delivery.url,
            headers={**headers, "webhook-id": job, **signed},
            body=body,
        )


def refusal(reply: Reply, now: float) -> Exception:
    """What an answer that is not good means for the attempt."""
    status = reply.status
    said = _text(reply.body[:SHOWN_BODY]).strip()
    error = f"the receiver answered {status} {reply.reason}".strip() + (f": {said}" if said else "")
    if 300 <= status < 400:  # noqa: PLR2004
        error = f"{error} (redirects are not followed; call the right URL)"
    if status in MOVED_FOR_GOOD or (400 <= status < 500 and status not in TEMPORARY):  # noqa: PLR2004
        return Discard(error)
    after = retry_after(reply.headers.get("Retry-After", ""), now)
    return NotTaken(error) if after is None else Retry(error, after=after)


def retry_after(said: str, now: float) -> float | None:
    """Seconds to wait as a `Retry-After` says it, in seconds or as a date; a day at most."""
    said = said.strip()
    if said.isascii() and said.isdecimal():
        return min(float(said[:9]), LONGEST_WAIT)
    try:
        then = parsedate_to_datetime(said)
    except ValueError:
        return None
    # A date without a zone is in UTC, as every date in HTTP.
    at = then if then.utcoffset() is not None else then.replace(tzinfo=UTC)
    wait = (at - datetime.fromtimestamp(now, UTC)).total_seconds()
    return min(max(wait, 0.0), LONGEST_WAIT)


def kept(reply: Reply) -> Delivered:
    """What is kept of an answer: enough to see what it was, nothing that opens doors."""
    headers = [(name, said) for name, said in reply.headers.items() if name.lower() != "set-cookie"]
    return Delivered(
        status=reply.status,
        headers={name: _text(said[:KEPT_VALUE]) for name, said in headers[:KEPT_HEADERS]},
        body=_text(reply.body[:KEPT_BODY]),
        whole=reply.whole and len(reply.body) <= KEPT_BODY,
    )


def _check_header(name: str, value: str) -> None:
    if not TOKEN.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a header")
    if name.lower() in RESERVED:
        raise ValueError(f"header {name!r} is set by Windlass itself")
    if not value.isascii() or not value.isprintable():
        raise ValueError(f"header {name!r} must have printable ASCII characters only")


def _encoded(body: Any) -> tuple[bytes, dict[str, str]]:
    match body:
        case None:
            return b"", {}
        case str():
            return body.encode(), {"content-type": "text/plain; charset=utf-8"}
        case _:
            return msgspec.json.encode(body), {"content-type": "application/json"}


def _text(said: bytes | str) -> str:
    text = said if isinstance(said, str) else said.decode("utf-8", "replace")
    # What PostgreSQL cannot keep.
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
