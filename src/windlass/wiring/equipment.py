"""Makes the executors that come with Windlass, as the settings want them."""

from __future__ import annotations

import socket
from collections.abc import Iterator

from windlass.clock import Chance, Clock
from windlass.config import Settings
from windlass.core.address import parse_store_url
from windlass.core.backoff import Backoff
from windlass.core.errors import BadInput
from windlass.executors.arithmetic import add_numbers, large_array_sum
from windlass.executors.base import Executor
from windlass.executors.door import Door
from windlass.executors.email import Email
from windlass.executors.handlers import from_function, from_object
from windlass.executors.image import ResizeImage
from windlass.executors.mail_server import parse_mail_url
from windlass.executors.mailbox import Mailbox, parse_mailbox
from windlass.executors.reach import LOOPBACK_NAMES, Reach, parse_reach
from windlass.executors.signing import Signer
from windlass.executors.text import reverse_string
from windlass.executors.webhook import Webhook


def equipment(
    settings: Settings, backoff: Backoff, clock: Clock, chance: Chance
) -> Iterator[Executor]:
    """One executor for each built-in type of job."""
    door = Door(_reach(settings), clock, chance)
    signer = Signer(settings.webhook_secrets)
    yield from_function(add_numbers, {"backoff": backoff})
    yield from_function(reverse_string, {"backoff": backoff})
    yield from_function(large_array_sum, {"backoff": backoff, "thread_demand": 1})
    yield from_object(_email(settings, clock), {"backoff": backoff})
    yield from_object(Webhook(door, signer, clock), {"backoff": backoff})
    yield from_object(ResizeImage(door, clock), {"backoff": backoff})


def _reach(settings: Settings) -> Reach:
    """What jobs may call: this machine too, where nobody but this machine can enqueue them."""
    here = parse_store_url(settings.store).dialect == "sqlite"
    embedded = here and settings.host in LOOPBACK_NAMES
    return parse_reach([*settings.webhook_allow, *(["loopback"] if embedded else [])])


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
