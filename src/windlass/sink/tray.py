"""Messages that were taken, kept in memory: the last ones, and no more than there is room for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cached_property

from msgspec import Struct

from windlass.clock import Clock
from windlass.sink.reading import subject_of

MOST = 1_000
ROOM = 64 * 1024 * 1024


class Mail(Struct, frozen=True, kw_only=True, dict=True):
    """A message as it came in, and its envelope."""

    id: str
    at: datetime
    sender: str
    recipients: tuple[str, ...]
    content: bytes

    @cached_property
    def subject(self) -> str:
        """What it says that it is about."""
        return subject_of(self.content)


class Tray:
    """The last messages; the oldest make room for new ones."""

    def __init__(self, clock: Clock, *, most: int = MOST, room: int = ROOM) -> None:
        """Hold at most so many messages, of so many bytes in all."""
        self._clock = clock
        self._most = most
        self._room = room
        self._mails: dict[str, Mail] = {}
        self._size = 0
        self._last = 0

    def put(self, sender: str, recipients: tuple[str, ...], content: bytes) -> None:
        """Keep one more."""
        self._last += 1
        at = datetime.fromtimestamp(self._clock.now_us() / 1e6, UTC)
        mail = Mail(
            id=str(self._last), at=at, sender=sender, recipients=recipients, content=content
        )
        self._mails[mail.id] = mail
        self._size += len(content)
        while len(self._mails) > self._most or self._size > self._room:
            self._drop_oldest()

    def get(self, mail_id: str) -> Mail | None:
        """The message with this number, if it is still here."""
        return self._mails.get(mail_id)

    def newest_first(self) -> Iterator[Mail]:
        """Every message."""
        return reversed(self._mails.values())

    def clear(self) -> None:
        """Keep none of them; numbers go on where they were."""
        self._mails.clear()
        self._size = 0

    def _drop_oldest(self) -> None:
        oldest = self._mails.pop(next(iter(self._mails)))
        self._size -= len(oldest.content)
