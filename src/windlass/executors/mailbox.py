"""Mail addresses, as strictly as the strictest reader on their way takes them."""

from __future__ import annotations

import re
import unicodedata

from msgspec import Struct

ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
LOCAL = re.compile(rf"{ATOM}(?:\.{ATOM})*")
LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
DOMAIN = re.compile(rf"{LABEL}(?:\.{LABEL})*")
NAMED = re.compile(r"(?P<name>[^<>@,;:\\\[\]()\"]*?) ?<(?P<address>[^<>]+)>")

MAX_LOCAL = 64
MAX_DOMAIN = 255


class Mailbox(Struct, frozen=True):
    """Who gets a message, or whom it is from."""

    name: str
    local: str
    domain: str  # ASCII

    @property
    def address(self) -> str:
        """As it stands in the envelope."""
        return f"{self.local}@{self.domain}"


def parse_mailbox(text: str) -> Mailbox:
    """Read `ada@example.org` or `Ada Lovelace <ada@example.org>`; nothing else is an address."""
    refuse_control(text)
    named = NAMED.fullmatch(text)
    name, address = (named["name"], named["address"]) if named else ("", text)
    local, _, domain = address.rpartition("@")
    if not LOCAL.fullmatch(local) or len(local) > MAX_LOCAL:
        raise ValueError(f"{text!r} is no mail address; write ada@example.org or Ada <ada@…>")
    return Mailbox(name, local, _ascii(domain, text))


def refuse_control(text: str) -> None:
    """Refuse what could end a header, or be decoded into something that does.

    An encoded word is the sender's to make. One that comes from outside is decoded and written
    anew by some versions of Python, line breaks and all (CVE-2024-6923).
    """
    if "=?" in text:
        raise ValueError(f"{text!r} has '=?', which begins an encoded word; write it in plain text")
    # Control characters, line and paragraph separators, half surrogate pairs.
    if any(unicodedata.category(char) in {"Cc", "Zl", "Zp", "Cs"} for char in text):
        raise ValueError(f"{text!r} has a line break or another control character")


def _ascii(domain: str, text: str) -> str:
    try:
        plain = domain.encode("idna").decode("ascii")
    except UnicodeError:
        plain = ""
    if not DOMAIN.fullmatch(plain) or len(plain) > MAX_DOMAIN:
        raise ValueError(f"{text!r} is no mail address: its domain is no name of a host")
    return plain
