"""The JSON about mail in the sink that goes out."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from windlass.sink.reading import Contents
from windlass.sink.tray import Mail as TakenMail
from windlass.wire.jobs import Instant


class Envelope(msgspec.Struct, kw_only=True):
    """A message that the mail sink has taken, seen from outside."""

    id: str
    at: Instant
    sender: str
    recipients: list[str]
    subject: str
    size: int


class MailHeader(msgspec.Struct):
    """A header of a message, its encoded words decoded."""

    name: str
    value: str


class MailFile(msgspec.Struct):
    """A file that came with a message."""

    name: str | None
    media_type: str
    size: int


class Mail(Envelope, kw_only=True):
    """A message that the mail sink has taken."""

    headers: list[MailHeader]
    text: str | None
    html: Annotated[str | None, Meta(description="Its source. Whoever shows it takes care.")]
    attachments: list[MailFile]
    problem: Annotated[str | None, Meta(description="Why the message could not be taken apart.")]


def envelope(mail: TakenMail) -> Envelope:
    """A message as it goes out in a list."""
    return Envelope(**_outside(mail))


def mail(mail: TakenMail, inside: Contents) -> Mail:
    """A message as it goes out."""
    return Mail(
        **_outside(mail),
        headers=[MailHeader(name, value) for name, value in inside.headers],
        text=inside.text,
        html=inside.html,
        attachments=[MailFile(file.name, file.media_type, file.size) for file in inside.files],
        problem=inside.problem,
    )


def _outside(mail: TakenMail) -> dict[str, Any]:
    return {
        "id": mail.id,
        "at": mail.at,
        "sender": mail.sender,
        "recipients": list(mail.recipients),
        "subject": mail.subject,
        "size": len(mail.content),
    }
