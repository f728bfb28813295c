"""Open connections to a mail server, kept for the next message."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress

from aiosmtplib import (
    SMTP,
    SMTPException,
    SMTPRecipientRefused,
    SMTPResponseException,
    SMTPServerDisconnected,
)
from msgspec import Struct

from windlass.clock import Clock
from windlass.executors.base import Discard
from windlass.executors.letter import Envelope
from windlass.executors.mail_server import MailServer, Tls

# Servers hang up on the idle after a minute or more, and after so many messages.
IDLE = 20.0
MESSAGES = 100
ANSWER_WITHIN = 30.0
QUIT_WITHIN = 2.0
# A server that is about to hang up, and the first of the answers that will stay the same.
CLOSING = 421
PERMANENT = 500
MAX_ANSWER = 500


class NotSent(Exception):
    """The message was not taken, this time."""


class Line(Struct):
    """One connection."""

    client: SMTP
    used: float
    messages: int = 0


class MailLines:
    """At most so many connections at once, on one event loop."""

    def __init__(self, server: MailServer, name: str, clock: Clock, limit: int) -> None:
        """Introduce oneself by `name`; connect when the first message comes."""
        self._server = server
        self._name = name
        self._clock = clock
        self._free = asyncio.Semaphore(limit)
        self._idle: list[Line] = []

    async def hand_in(self, envelope: Envelope, check: Callable[[], None]) -> str:
        """Have the server take the message for all recipients or for none; say what it answered.

        `check` raises if the message must not go out any more; it is asked last. What the server
        refuses for good is discarded, anything else is `NotSent`.
        """
        try:
            return await self._hand_in(envelope, check)
        except (SMTPException, OSError) as problem:
            raise _refusal(problem) from problem

    async def greet(self) -> None:
        """See whether the server lets us in, and take leave; raises as `hand_in` does."""
        try:
            line = await self._connected()
        except (SMTPException, OSError) as problem:
            raise _refusal(problem) from problem
        await _leave(line)

    async def close(self) -> None:
        """Take leave of the server on every line."""
        idle, self._idle = self._idle, []
        await asyncio.gather(*map(_leave, idle))

    async def _hand_in(self, envelope: Envelope, check: Callable[[], None]) -> str:
        async with self._free:
            line = await self._begun(envelope.sender)
            try:
                for recipient in envelope.recipients:
                    await line.client.rcpt(recipient)
                check()
                answer = await line.client.data(envelope.content)
            except SMTPResponseException:
                await self._begin_anew(line)
                raise
            except BaseException:
                line.client.close()
                raise
            self._keep(line)
            return answer.message

    async def _begun(self, sender: str) -> Line:
        """A line on which a message was begun."""
        while (line := self._rested()) is not None:
            # The server may have hung up, which shows with the first word.
            try:
                return await _begin(line, sender)
            except SMTPServerDisconnected:
                continue
            except SMTPResponseException as problem:
                if problem.code != CLOSING:
                    raise
        return await _begin(await self._connected(), sender)

    def _rested(self) -> Line | None:
        while self._idle:
            line = self._idle.pop()
            if line.client.is_connected and self._clock.monotonic() - line.used < IDLE:
                return line
            line.client.close()
        return None

    async def _connected(self) -> Line:
        server = self._server
        encrypted = server.tls is not Tls.NONE
        client = SMTP(
            hostname=server.host,
            port=server.port,
            username=server.user,
            password=server.password,
            local_hostname=self._name,
            use_tls=server.tls is Tls.AT_ONCE,
            start_tls=server.tls is Tls.STARTED,
            tls_context=ssl.create_default_context(cafile=server.ca) if encrypted else None,
            timeout=ANSWER_WITHIN,
        )
        try:
            await client.connect()
        except BaseException:
            client.close()
            raise
        return Line(client, self._clock.monotonic())

    async def _begin_anew(self, line: Line) -> None:
        """After a refusal the line is as good as before, if the server says so."""
        try:
            await line.client.rset()
        except SMTPException:
            line.client.close()
        except BaseException:
            line.client.close()
            raise
        else:
            self._keep(line)

    def _keep(self, line: Line) -> None:
        line.messages += 1
        line.used = self._clock.monotonic()
        if line.messages < MESSAGES:
            self._idle.append(line)
        else:
            line.client.close()


def _refusal(problem: SMTPException | OSError) -> Discard | NotSent:
    if not isinstance(problem, SMTPResponseException):
        return NotSent(f"the mail server could not be talked to: {problem}")
    whom = f" {problem.recipient}" if isinstance(problem, SMTPRecipientRefused) else ""
    said = f"the mail server refused{whom}: {problem.code} {problem.message[:MAX_ANSWER]}"
    return Discard(said) if problem.code >= PERMANENT else NotSent(said)


async def _begin(line: Line, sender: str) -> Line:
    """Begin a message; a line on which that cannot be done is closed."""
    try:
        await line.client.mail(sender)
    except BaseException:
        line.client.close()
        raise
    return line


async def _leave(line: Line) -> None:
    try:
        with suppress(SMTPException, TimeoutError):
            async with asyncio.timeout(QUIT_WITHIN):
                await line.client.quit()
    finally:
        line.client.close()
