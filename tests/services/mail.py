"""A real mail server on the test's own event loop, which keeps what it takes."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any, cast

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.services.calls import hang_up


@dataclass
class Taken:
    """A message as it came in."""

    sender: str
    recipients: list[str]
    content: bytes
    user: str | None

    @property
    def message(self) -> EmailMessage:
        """The message, read by the standard library."""
        return message_from_bytes(self.content, policy=default)


@dataclass
class MailSink:
    """What the server is to say, and what it heard."""

    port: int = 0
    taken: list[Taken] = field(default_factory=list)
    connections: int = 0
    open: int = 0
    refuse: dict[str, str] = field(default_factory=dict)  # address -> answer
    data_answer: Callable[[], str] = lambda: "250 OK"
    silent_at: str | None = None  # a command that is not answered
    unanswered: asyncio.Event = field(default_factory=asyncio.Event)  # one of those came
    server: asyncio.Server | None = None
    lines: list[asyncio.BaseTransport] = field(default_factory=list)

    def hang_up(self) -> None:
        """End whatever line a client has left open."""
        for line in self.lines:
            hang_up(cast("asyncio.Transport", line))

    async def handle_MAIL(  # noqa: N802 - aiosmtpd calls it so
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Begin a message."""
        await self._heed("MAIL")
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return self.refuse.get(address, "250 OK")

    async def handle_RCPT(  # noqa: N802 - aiosmtpd calls it so
        self,
        _server: SMTP,
        _session: Session,
        envelope: Envelope,
        address: str,
        _options: list[str],
    ) -> str:
        """Take a recipient, or not."""
        if address in self.refuse:
            return self.refuse[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802 - aiosmtpd calls it so
        self, _server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """Take the message, or not."""
        answer = self.data_answer()
        if answer.startswith("250"):
            content = envelope.original_content
            assert content is not None
            user = None if session.auth_data is None else session.auth_data.login.decode()
            sender = envelope.mail_from or ""
            self.taken.append(Taken(sender, list(envelope.rcpt_tos), content, user))
        return answer

    async def handle_RSET(self, *_: object) -> str:  # noqa: N802 - aiosmtpd calls it so
        """Forget a message that was begun."""
        await self._heed("RSET")
        return "250 OK"

    async def handle_QUIT(self, *_: object) -> str:  # noqa: N802 - aiosmtpd calls it so
        """Take leave."""
        await self._heed("QUIT")
        return "221 Bye"

    async def _heed(self, command: str) -> None:
        if command == self.silent_at:
            self.unanswered.set()
            await asyncio.Event().wait()


class Counted(SMTP):
    """Tells the sink which connections are open."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count one more."""
        self.event_handler.connections += self.session is None
        self.event_handler.open += self.session is None
        self.event_handler.lines.append(transport)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """Count one less."""
        self.event_handler.open -= 1
        super().connection_lost(error)


def let_in(*said: Any) -> AuthResult:
    """Know one user."""
    given = said[-1]
    known = LoginPassword(b"ada", b"s3cret/word")
    return AuthResult(success=given == known, auth_data=given, handled=False)


@asynccontextmanager
async def mail_sink(
    *, starttls: ssl.SSLContext | None = None, tls: ssl.SSLContext | None = None, auth: bool = False
) -> AsyncIterator[MailSink]:
    """A mail server on a free port of loopback."""
    sink = MailSink()
    loop = asyncio.get_running_loop()

    def protocol() -> SMTP:
        return Counted(
            sink,
            hostname="sink.example.org",
            loop=loop,
            tls_context=starttls,
            authenticator=let_in if auth else None,
            auth_required=auth and starttls is not None,
            auth_require_tls=starttls is not None,
        )

    sink.server = await loop.create_server(protocol, "127.0.0.1", 0, ssl=tls)
    sink.port = sink.server.sockets[0].getsockname()[1]
    try:
        yield sink
    finally:
        sink.server.close()
        await sink.server.wait_closed()
        sink.hang_up()
        await asyncio.sleep(0)  # in which lines close
