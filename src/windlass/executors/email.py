"""Sends mail."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar, TypedDict

from windlass.clock import Clock
from windlass.executors.base import Discard
from windlass.executors.context import Context
from windlass.executors.letter import Letter, seal
from windlass.executors.mail_server import HOW, MailServer
from windlass.executors.mailbox import Mailbox
from windlass.executors.per_loop import PerLoop

if TYPE_CHECKING:
    from windlass.executors.mail_lines import MailLines

# How many messages may be on their way to the server at once, in each process.
LINES = 4


class Sent(TypedDict):
    """What is kept of a message that was taken."""

    message_id: str
    recipients: list[str]
    answer: str


class Email:
    """Hands a message to a mail server, which takes it for all recipients or for none.

    The `Message-ID` is made of the job's id: if a worker dies before it can tell that the message
    was taken, the second copy can be known by it.
    """

    type: ClassVar[str] = "email"

    def __init__(self, server: MailServer | None, sender: Mailbox, clock: Clock) -> None:
        """Send through this server; without one, say how to name it."""
        self._sender = sender
        self._clock = clock
        self._lines = None if server is None else PerLoop(lambda: self._open(server))

    async def execute(self, letter: Letter, ctx: Context) -> Sent:
        """Send one message."""
        if self._lines is None:
            raise Discard(f"no mail server is configured; set WINDLASS_SMTP_URL, as in {HOW}")
        message_id = f"<{ctx.id}@{self._sender.domain}>"
        now = datetime.fromtimestamp(self._clock.now_us() / 1e6, UTC)
        try:
            envelope = seal(letter, self._sender, message_id, now)
        except ValueError as problem:
            raise Discard(str(problem)) from None
        async with self._lines.use() as lines:
            answer = await lines.hand_in(envelope, ctx.check)
        return Sent(message_id=message_id, recipients=[*envelope.recipients], answer=answer)

    async def close(self) -> None:
        """Hang up."""
        if self._lines is not None:
            await self._lines.close()

    def _open(self, server: MailServer) -> MailLines:
        # Imported late: who only enqueues mail sends none.
        from windlass.executors.mail_lines import MailLines  # noqa: PLC0415

        return MailLines(server, self._sender.domain, self._clock, LINES)
