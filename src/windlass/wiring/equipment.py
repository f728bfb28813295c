"""Makes the executors that come with Windlass, as the settings want them."""

from __future__ import annotations

import socket
from collections.abc import Iterator

from windlass.clock import Clock
from windlass.config import Settings
from windlass.core.backoff import Backoff
from windlass.core.errors import BadInput
from windlass.executors.arithmetic import add_numbers, large_array_sum
from windlass.executors.base import Executor
from windlass.executors.email import Email
from windlass.executors.handlers import from_function, from_object
from windlass.executors.mail_server import parse_mail_url
from windlass.executors.mailbox import Mailbox, parse_mailbox
from windlass.executors.text import reverse_string


def equipment(settings: Settings, backoff: Backoff, clock: Clock) -> Iterator[Executor]:
    """One executor for each built-in type of job."""
    yield from_function(add_numbers, {"backoff": backoff})
    yield from_function(reverse_string, {"backoff": backoff})
    yield from_function(large_array_sum, {"backoff": backoff, "thread_demand": 1})
    yield from_object(_email(settings, clock), {"backoff": backoff})


def _email(settings: Settings, clock: Clock) -> Email:
    server = None if settings.smtp_url is None else parse_mail_url(settings.smtp_url)
    return Email(server, _sender(settings.mail_from), clock)


def _sender(said: str | None) -> Mailbox:
    try:
        return parse_mailbox(f"windlass@{socket.gethostname()}" if said is None else said)
    except ValueError as problem:
        if said is None:
            return Mailbox("", "windlass", "localhost")
        raise BadInput(f"mail_from: {problem}") from None
