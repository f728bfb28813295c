"""The routes to the mail that a mail sink has taken; they are there only beside one.

Messages are anybody's work. They go out as JSON or as plain text, never as a page.
"""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import Annotated

import msgspec
from msgspec import Meta

from windlass.http import wire_mail as wire
from windlass.http.access import Access
from windlass.http.answer import TEXT, Answer, Header, json
from windlass.http.problems import Refusal
from windlass.http.routing import Says, delete, get
from windlass.http.service import Service
from windlass.sink.reading import read
from windlass.sink.tray import MOST, Mail, Tray

# Whatever a browser makes of it, it may load and run nothing.
LIFELESS: Header = (b"content-security-policy", b"default-src 'none'; sandbox")


class Wanted(msgspec.Struct, kw_only=True):
    """How much mail to list."""

    limit: Annotated[int, Meta(ge=1, le=MOST, description="How many at most.")] = 50


@get(
    "/mail",
    access=Access.READ,
    answers={200: Says(list[wire.Envelope], "Messages, the newest first.")},
)
async def list_mail(service: Service, query: Wanted) -> Answer:
    """List the mail that the sink has taken, the newest first."""
    mails = [*islice(_tray(service).newest_first(), query.limit)]
    # Aside: a thousand subjects take a while to read.
    return json(await asyncio.to_thread(lambda: [wire.envelope(mail) for mail in mails]))


@get(
    "/mail/{mail_id}",
    access=Access.READ,
    answers={200: Says(wire.Mail, "The message, taken apart.")},
)
async def read_mail(service: Service, mail_id: str) -> Answer:
    """Read one message: its headers, its text, and which files came with it."""
    mail = _mail(service, mail_id)
    return json(wire.mail(mail, await asyncio.to_thread(read, mail.content)))


@get(
    "/mail/{mail_id}/raw",
    access=Access.READ,
    answers={200: Says(str, "The message.", "text/plain")},
)
async def read_raw_mail(service: Service, mail_id: str) -> Answer:
    """Read one message, byte for byte as it came in."""
    return Answer(200, _mail(service, mail_id).content, (LIFELESS,), TEXT)


@delete("/mail", access=Access.WRITE, answers={204: Says(None, "There is none any more.")})
async def delete_mail(service: Service) -> Answer:
    """Forget all the mail."""
    _tray(service).clear()
    return Answer(204)


def _tray(service: Service) -> Tray:
    assert service.mail is not None  # noqa: S101 — else nothing leads here
    return service.mail


def _mail(service: Service, mail_id: str) -> Mail:
    mail = _tray(service).get(mail_id)
    if mail is None:
        raise Refusal(404, "unknown-mail", f"there is no mail {mail_id!r}; the oldest make room")
    return mail


ROUTES = [list_mail, read_mail, read_raw_mail, delete_mail]
