"""The mail server of job type `email`: whether it is there and lets us in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from windlass.cli.checkup.finding import Finding, ok, problem, warning
from windlass.clock import SystemClock
from windlass.config import Settings
from windlass.core.errors import BadInput
from windlass.executors.base import Discard
from windlass.executors.mail_server import MailServer, parse_mail_url

PATIENCE = 4.0


async def examine(settings: Settings) -> AsyncIterator[Finding]:
    """Say hello to the server that the settings name, if they name one, and send nothing."""
    if settings.smtp_url is None:
        yield ok("mail", "no server is set; jobs of type email need WINDLASS_SMTP_URL")
        return
    try:
        server = parse_mail_url(settings.smtp_url)
    except BadInput as refused:
        yield problem("mail", str(refused), f"correct {settings.sources['smtp_url']}")
        return
    yield await _greeted(server, settings.sources["smtp_url"])


async def _greeted(server: MailServer, source: str) -> Finding:
    # Imported late: most set-ups send no mail.
    from windlass.executors.mail_lines import MailLines, NotSent  # noqa: PLC0415

    place = f"{server.host}:{server.port}"
    try:
        async with asyncio.timeout(PATIENCE):
            await MailLines(server, "localhost", SystemClock(), 1).greet()
    except (NotSent, Discard) as refused:
        why = str(refused)
    except TimeoutError:
        why = f"no answer within {PATIENCE:g} s"
    else:
        named = f" as {server.user}" if server.user else ""
        return ok("mail", f"{place} lets us in{named}")
    said = f"{place} takes no mail of ours: {why}; jobs of type email fail until it does"
    return warning("mail", said, f"start it, or correct {source}")
