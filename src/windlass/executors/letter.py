"""A message as it is enqueued, and as a mail server takes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Annotated

from msgspec import Meta, Struct

from windlass.executors.mailbox import Mailbox, parse_mailbox, refuse_control

MAX_RECIPIENTS = 100
MAX_SUBJECT = 1_000

# What is a message or many parts by itself would be taken apart by whoever reads it.
MEDIA_TYPE = r"^(?!multipart/|message/)[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9.+-]*$"
# In which every line is short and ASCII, so that no server on the way has to change it.
ENCODING = "quoted-printable"

HEADER = re.compile(rb"([!-9;-~]+): ")


class Attachment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file that goes with a message."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    content: Annotated[bytes, Meta(description="in base64")]
    type: Annotated[str, Meta(pattern=MEDIA_TYPE)] = "application/octet-stream"

    def __post_init__(self) -> None:
        """Refuse a name that would be more than a name."""
        refuse_control(self.name)


class Letter(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The payload of a job of type `email`. An address is `ada@…` or `Ada Lovelace <ada@…>`."""

    to: str | tuple[str, ...]
    subject: Annotated[str, Meta(max_length=MAX_SUBJECT)]
    body: str
    html: str | None = None
    cc: str | tuple[str, ...] = ()
    bcc: str | tuple[str, ...] = ()
    reply_to: str | None = None
    attachments: tuple[Attachment, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what no mail server shall see."""
        refuse_control(self.subject)
        if not _each(self.to):
            raise ValueError("`to` names nobody")
        count = sum(len(_mailboxes(field)) for field in (self.to, self.cc, self.bcc))
        if count > MAX_RECIPIENTS:
            raise ValueError(
                f"{count:,} recipients are more than {MAX_RECIPIENTS}; enqueue a job for each"
            )
        if self.reply_to is not None:
            parse_mailbox(self.reply_to)


class Envelope(Struct, frozen=True, kw_only=True):
    """A message ready to be handed in."""

    sender: str
    recipients: tuple[str, ...]
    content: bytes


def seal(letter: Letter, sender: Mailbox, message_id: str, date: datetime) -> Envelope:
    """Write the message down; who gets it blindly is on the envelope only."""
    headers = _headers(letter, sender, message_id, date)
    message = EmailMessage(policy=SMTP)
    for name, value in headers.items():
        message[name] = value
    message.set_content(letter.body, cte=ENCODING)
    if letter.html is not None:
        message.add_alternative(letter.html, subtype="html", cte=ENCODING)
    for file in letter.attachments:
        kind, _, subkind = file.type.partition("/")
        message.add_attachment(file.content, kind, subkind, filename=file.name)
    content = message.as_bytes()
    _refuse_others(content, [*headers, *message.keys()])
    recipients = [*_mailboxes(letter.to), *_mailboxes(letter.cc), *_mailboxes(letter.bcc)]
    return Envelope(
        sender=sender.address,
        recipients=tuple(dict.fromkeys(box.address for box in recipients)),
        content=content,
    )


def _headers(
    letter: Letter, sender: Mailbox, message_id: str, date: datetime
) -> dict[str, str | list[Address]]:
    shown = {
        "From": [sender],
        "To": _mailboxes(letter.to),
        "Cc": _mailboxes(letter.cc),
        "Reply-To": _mailboxes(letter.reply_to or ()),
    }
    return {
        "Message-ID": message_id,
        "Date": format_datetime(date),
        "Subject": letter.subject,
        **{name: [_address(box) for box in boxes] for name, boxes in shown.items() if boxes},
    }


def _refuse_others(content: bytes, expected: Sequence[str]) -> None:
    """See that the bytes have the headers that were meant, and no others.

    Whatever a version of Python makes of a value, this is what the server will read.
    """
    head, _, _ = content.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    names = [match[1].decode() for line in lines if (match := HEADER.match(line))]
    whole = all(HEADER.match(line) or line[:1] in (b" ", b"\t") for line in lines)
    broken = b"\r" in head.replace(b"\r\n", b"") or b"\n" in head.replace(b"\r\n", b"")
    if broken or not whole or sorted(names) != sorted(set(expected)):
        raise ValueError(f"the message would have other headers than meant: {', '.join(names)}")


def _address(box: Mailbox) -> Address:
    return Address(display_name=box.name, username=box.local, domain=box.domain)


def _mailboxes(field: str | Sequence[str]) -> list[Mailbox]:
    return [parse_mailbox(text) for text in _each(field)]


def _each(field: str | Sequence[str]) -> Sequence[str]:
    return [field] if isinstance(field, str) else field
