"""What is said on a line to the mail server: bytes in, answers out, and no socket."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

# The sender, the recipients, the message.
Take: TypeAlias = Callable[[str, tuple[str, ...], bytes], None]

LARGEST = 16 * 1024 * 1024
LONGEST_COMMAND = 2_000
MOST_RECIPIENTS = 1_000
MOST_ERRORS = 20

LINE_END = b"\r\n"
# Only the strict form ends a message: others would let one message carry another.
MESSAGE_END = b"\r\n.\r\n"
FROM = re.compile(r" FROM: ?<(?P<address>[^<>\s]*)>(?P<options>.*)", re.IGNORECASE)
TO = re.compile(r" TO: ?<(?P<address>[^<>\s]+)>.*", re.IGNORECASE)
SIZE = re.compile(r" SIZE=(?P<size>[0-9]{1,20})\b", re.IGNORECASE)

GREETING = b"220 windlass mail sink\r\n"
HELLO = "\r\n".join(
    ["250-windlass", f"250-SIZE {LARGEST}", "250-8BITMIME", "250-SMTPUTF8", "250 PIPELINING"]
)
OK = "250 OK"
TOO_LARGE = f"552 more than {LARGEST} bytes"


class Dialogue:
    """One caller's part: who it is from, whom it is for, and the message itself."""

    def __init__(self, take: Take) -> None:
        """Hand each whole message to `take`."""
        self._take = take
        self._heard = bytearray()
        self._greeted = False
        self._sender: str | None = None
        self._recipients: list[str] = []
        self._coming: Coming | None = None
        self._errors = 0
        self._verbs: dict[str, Callable[[str], str]] = {
            "EHLO": self._ehlo,
            "HELO": self._helo,
            "MAIL": self._mail,
            "RCPT": self._rcpt,
            "DATA": self._data,
            "RSET": self._rset,
            "NOOP": lambda _: OK,
            "VRFY": lambda _: "252 everybody is taken",
            "QUIT": self._quit,
        }
        self.over = False

    def hear(self, data: bytes) -> bytes:
        """The answers to what was said; nothing more is heard once it is over."""
        self._heard += data
        answers = []
        while not self.over and (answer := self._next()) is not None:
            answers.append(answer)
        return "".join(f"{answer}\r\n" for answer in answers).encode()

    def _next(self) -> str | None:
        """The next answer, if what it answers is here as a whole."""
        return self._on_command() if self._coming is None else self._on_message(self._coming)

    def _on_message(self, coming: Coming) -> str | None:
        if not coming.ends_in(self._heard):
            return None
        sender, recipients = self._sender or "", tuple(self._recipients)
        self._forget()
        if coming.too_large:
            return TOO_LARGE
        self._take(sender, recipients, coming.content)
        return OK

    def _on_command(self) -> str | None:
        end = self._heard.find(LINE_END, 0, LONGEST_COMMAND)
        if end < 0:
            return self._hang_up("500 line too long") if self._overflows else None
        line = self._heard[:end].decode("utf-8", "replace")
        del self._heard[: end + len(LINE_END)]
        answer = self._answer(line)
        self._errors += answer[0] in "45"
        return answer if self._errors <= MOST_ERRORS else self._hang_up("421 too many errors")

    @property
    def _overflows(self) -> bool:
        return len(self._heard) >= LONGEST_COMMAND

    def _answer(self, line: str) -> str:
        verb, rest = line[:4].upper(), line[4:]
        answer = self._verbs.get(verb)
        if answer is not None and rest[:1] in ("", " "):
            return answer(rest)
        if self._greeted:
            return "502 no such command here"
        # A browser that was led here speaks HTTP, and what follows would be a web page's message.
        return self._hang_up("502 this is a mail server")

    def _ehlo(self, name: str) -> str:
        return self._met(name, HELLO)

    def _helo(self, name: str) -> str:
        return self._met(name, "250 windlass")

    def _met(self, name: str, answer: str) -> str:
        if not name.strip():
            return "501 say who you are"
        self._forget()
        self._greeted = True
        return answer

    def _mail(self, rest: str) -> str:
        if not self._greeted or self._sender is not None:
            return "503 EHLO first, and one message at a time"
        said = FROM.fullmatch(rest)
        if said is None:
            return "501 write MAIL FROM:<address>"
        size = SIZE.search(said["options"])
        if size is not None and int(size["size"]) > LARGEST:
            return TOO_LARGE
        self._sender = said["address"]
        return OK

    def _rcpt(self, rest: str) -> str:
        said = TO.fullmatch(rest)
        if self._sender is None:
            return "503 MAIL first"
        if said is None:
            return "501 write RCPT TO:<address>"
        if len(self._recipients) == MOST_RECIPIENTS:
            return "452 too many recipients"
        self._recipients.append(said["address"])
        return OK

    def _data(self, _: str) -> str:
        if not self._recipients:
            return "503 RCPT first"
        self._coming = Coming()
        return "354 go on, and end with a dot on a line of its own"

    def _rset(self, _: str) -> str:
        self._forget()
        return OK

    def _quit(self, _: str) -> str:
        return self._hang_up("221 bye")

    def _hang_up(self, last: str) -> str:
        self.over = True
        return last

    def _forget(self) -> None:
        self._sender = None
        self._recipients = []
        self._coming = None


class Coming:
    """A message on its way in."""

    def __init__(self) -> None:
        """Begin as if after the end of a line, so that a dot may come first."""
        self._came = bytearray(LINE_END)
        self.too_large = False

    def ends_in(self, heard: bytearray) -> bool:
        """Take in what was heard, up to the end of the message; whether it was there."""
        before = len(self._came)
        self._came += heard
        # The end may have begun before; what was searched is not searched again.
        end = self._came.find(MESSAGE_END, max(0, before - len(MESSAGE_END) + 1))
        if end < 0:
            heard.clear()
            self._bound()
            return False
        del heard[: end + len(MESSAGE_END) - before]
        del self._came[end + len(LINE_END) :]
        self._bound()
        return True

    @property
    def content(self) -> bytes:
        """The message, without the dots that were put before those which begin a line."""
        return bytes(self._came.replace(b"\r\n.", LINE_END)[len(LINE_END) :])

    def _bound(self) -> None:
        """Of a message that is too large, only its end is waited for."""
        self.too_large = self.too_large or len(self._came) > LARGEST + len(LINE_END)
        if self.too_large:
            del self._came[: -len(MESSAGE_END)]
