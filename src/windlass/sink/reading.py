"""What a message says, read without trust: whatever is wrong with it, something can be shown."""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from email.policy import Compat32

from msgspec import Struct, field

# What is shown of a message; its bytes have the rest.
MOST_HEADERS = 200
MOST_FILES = 200
LONGEST_VALUE = 2_000
LONGEST_TEXT = 1_000_000
# Headers end long before here, or they are none.
HEAD = 64 * 1024
# The parser asks of every line whether it ends each of the parts around it. So many questions take
# about a second; a message whose lines are worth reading has far fewer.
MOST_LINES = 300_000
MOST_QUESTIONS = 2_000_000
INTRICATE = "the message is too intricate to be taken apart; its raw bytes are all there is"
BROKEN = "the message cannot be taken apart ({}); its raw bytes are all there is"


class File(Struct, frozen=True):
    """A file that came with a message."""

    name: str | None
    media_type: str
    size: int


class Contents(Struct):
    """A message taken apart."""

    headers: list[tuple[str, str]] = field(default_factory=list)
    text: str | None = None
    html: str | None = None
    files: list[File] = field(default_factory=list)
    problem: str | None = None


class Bounded(Compat32):
    """Headers as they are written, but no longer than is good for whoever takes them apart."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """Name and value of a header."""
        name, value = super().header_source_parse(sourcelines)
        return name, value[:LONGEST_VALUE]


BOUNDED = Bounded()


def subject_of(content: bytes) -> str:
    """What a message says that it is about."""
    try:
        return _value(_head(content).get("Subject", ""))
    except Exception:  # noqa: BLE001 — as in `read`
        return ""


def read(content: bytes) -> Contents:
    """Take a message apart, as far as that can be done."""
    contents = Contents()
    try:
        contents.headers += _headers(_head(content))
        if _intricate(content):
            contents.problem = INTRICATE
            return contents
        for part in _leaves(message_from_bytes(content, policy=BOUNDED)):
            _add(part, contents)
    except Exception as problem:  # noqa: BLE001 — the parser was not written for hostile messages
        contents.problem = BROKEN.format(type(problem).__name__)
    return contents


def _head(content: bytes) -> Message:
    head, _, _ = content[:HEAD].partition(b"\r\n\r\n")
    return message_from_bytes(head, policy=BOUNDED)


def _intricate(content: bytes) -> bool:
    lines = max(content.count(b"\n"), content.count(b"\r"))
    parts = 1 + content.lower().count(b"boundary")
    return lines > MOST_LINES or lines * parts > MOST_QUESTIONS


def _headers(message: Message) -> Iterator[tuple[str, str]]:
    for name, value in message.items()[:MOST_HEADERS]:
        yield _plain(name[:LONGEST_VALUE]), _value(value)


def _leaves(message: Message) -> Iterator[Message]:
    return (part for part in message.walk() if not part.is_multipart())


def _add(part: Message, contents: Contents) -> None:
    media, name = part.get_content_type(), part.get_filename()
    attached = name is not None or part.get_content_disposition() == "attachment"
    if media == "text/plain" and contents.text is None and not attached:
        contents.text = _text(part)
    elif media == "text/html" and contents.html is None and not attached:
        contents.html = _text(part)
    elif len(contents.files) < MOST_FILES:
        shown = None if name is None else _value(name)
        contents.files.append(File(shown, _plain(media[:LONGEST_VALUE]), len(_bytes(part))))


def _bytes(part: Message) -> bytes:
    decoded = part.get_payload(decode=True)
    return decoded if isinstance(decoded, bytes) else b""


def _text(part: Message) -> str:
    content = _bytes(part)
    try:
        text = content.decode(part.get_content_charset("utf-8"), "replace")
    except (LookupError, ValueError):  # a charset that nobody knows, or that is no text at all
        text = content.decode("utf-8", "replace")
    return _plain(text[:LONGEST_TEXT].replace("\r\n", "\n"))


def _value(value: object) -> str:
    """A header's value on one line, its encoded words decoded."""
    written = " ".join(str(value)[:LONGEST_VALUE].split())
    try:
        return _plain(str(make_header(decode_header(written))))
    except (LookupError, ValueError):
        return _plain(written)


def _plain(text: str) -> str:
    """Text that any encoder takes."""
    return text.encode("utf-8", "replace").decode()
