"""Where mail is handed in, as a URL says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from windlass.core.errors import BadInput
from windlass.core.secrets import without_password

LOOPBACK = ("localhost", "127.0.0.1", "::1")
HOW = (
    "smtp+starttls://user:password@mail.example.org:587, smtps://user:password@mail.example.org"
    " or smtp://localhost:25"
)


class Tls(Enum):
    """How a connection to a mail server is kept from others."""

    NONE = "smtp"
    STARTED = "smtp+starttls"  # asked for after connecting; a server that cannot is refused
    AT_ONCE = "smtps"


PORTS = {Tls.NONE: 25, Tls.STARTED: 587, Tls.AT_ONCE: 465}


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """A mail server, and how to talk to it."""

    host: str
    port: int
    tls: Tls
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    ca: str | None = None  # a file of certificates to trust instead of the system's


def parse_mail_url(url: str) -> MailServer:
    """Read `smtp://…`, `smtp+starttls://…` or `smtps://…`; `?ca=FILE` names whom to trust."""
    try:
        parts = urlsplit(url)
        server = _server(parts)
    except ValueError as problem:
        # Not in its own words: what it takes for a port may be a piece of the password.
        why = str(problem) if isinstance(problem, BadInput) else "its parts make no address"
        raise BadInput(f"{without_password(url)!r} is no mail server: {why}; write {HOW}") from None
    if server.password is not None and server.tls is Tls.NONE and server.host not in LOOPBACK:
        raise BadInput(
            f"{without_password(url)!r} would send the password in the clear;"
            " write smtp+starttls:// or smtps://"
        )
    return server


def _server(parts: SplitResult) -> MailServer:
    tls = next((tls for tls in Tls if tls.value == parts.scheme), None)
    if tls is None:
        raise BadInput("it must begin with smtp://, smtp+starttls:// or smtps://")
    query = parse_qs(parts.query, strict_parsing=bool(parts.query))
    if not parts.hostname or parts.path not in ("", "/") or query.keys() - {"ca"}:
        raise BadInput("it has a host, perhaps a port, and ?ca=FILE at most")
    return MailServer(
        host=parts.hostname,
        port=parts.port or PORTS[tls],
        tls=tls,
        user=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
        ca=query["ca"][-1] if "ca" in query else None,
    )
