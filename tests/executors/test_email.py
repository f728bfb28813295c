"""Mail goes out as it was meant, or not at all, and never with a header more."""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.parser import BytesHeaderParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.executors.attempts import JOB, Desk, context
from tests.services.certificates import Authority, authority
from tests.services.mail import MailSink, mail_sink
from tests.waiting import until
from windlass import State, Windlass
from windlass.clock import SystemClock
from windlass.config import Settings
from windlass.core.errors import BadInput, BadPayload, ClaimLost
from windlass.executors.base import Discard
from windlass.executors.email import Email, Sent
from windlass.executors.handlers import from_object
from windlass.executors.letter import Letter, seal
from windlass.executors.mail_lines import NotSent
from windlass.executors.mail_server import MailServer, Tls, parse_mail_url
from windlass.executors.mailbox import parse_mailbox

PLAIN = {"to": "ada@example.org", "subject": "Hello", "body": "World"}
SENDER = parse_mailbox("Jobs <jobs@windlass.example>")


class Sender:
    """The executor as a worker would call it."""

    def __init__(self, server: MailServer | None) -> None:
        self.email = Email(server, SENDER, SystemClock())
        self._executor = from_object(self.email, {})

    def enqueue(self, **payload: Any) -> str:
        """The payload as it would be kept."""
        return self._executor.validate({**PLAIN, **payload})

    async def send(self, desk: Desk | None = None, **payload: Any) -> Sent:
        """Send one message."""
        sent: Sent = await self._executor.call(self.enqueue(**payload), context(desk))
        return sent


@asynccontextmanager
async def sending(url: str) -> AsyncIterator[Sender]:
    """A sender who hangs up at the end."""
    sender = Sender(parse_mail_url(url))
    try:
        yield sender
    finally:
        await sender.email.close()


@pytest.fixture
async def sink() -> AsyncIterator[MailSink]:
    async with mail_sink() as sink:
        yield sink


@pytest.fixture
def trusted(tmp_path: Path) -> Authority:
    return authority(tmp_path)


async def test_a_message_arrives_as_it_was_enqueued(sink: MailSink) -> None:
    async with sending(f"smtp://127.0.0.1:{sink.port}") as sender:
        sent = await sender.send(
            to=["Ada Lovelace <ada@example.org>", "bob@bücher.example"],
            cc="Élodie <elodie@example.org>",
            bcc=["hidden@example.org"],
            reply_to="Help <help@example.org>",
            subject="Grüße aus dem Büro",
            body="Zeile 1\nZeile 2 ✓\n",
            html="<p>Zeile 1</p>",
            attachments=[
                {
                    "name": "Bericht ü.pdf",
                    "content": base64.b64encode(b"%PDF-1\x00\xff").decode(),
                    "type": "application/pdf",
                }
            ],
        )

    [taken] = sink.taken
    message = taken.message
    body, html = message.get_body(("plain",)), message.get_body(("html",))
    [file] = message.iter_attachments()
    assert body is not None
    assert html is not None
    assert taken.sender == "jobs@windlass.example"
    assert taken.recipients == sent["recipients"]
    assert taken.recipients == [
        "ada@example.org",
        "bob@xn--bcher-kva.example",
        "elodie@example.org",
        "hidden@example.org",
    ]
    assert message["From"] == "Jobs <jobs@windlass.example>"
    assert message["To"] == "Ada Lovelace <ada@example.org>, bob@xn--bcher-kva.example"
    assert message["Cc"] == "Élodie <elodie@example.org>"
    assert message["Reply-To"] == "Help <help@example.org>"
    assert message["Subject"] == "Grüße aus dem Büro"
    assert b"hidden" not in taken.content
    assert body.get_content().splitlines() == ["Zeile 1", "Zeile 2 ✓"]
    assert html.get_content().splitlines() == ["<p>Zeile 1</p>"]
    assert (file.get_filename(), file.get_content()) == ("Bericht ü.pdf", b"%PDF-1\x00\xff")
    assert file.get_content_type() == "application/pdf"


async def test_a_message_that_is_sent_again_has_the_same_id(sink: MailSink) -> None:
    async with sending(f"smtp://127.0.0.1:{sink.port}") as sender:
        first, second = await sender.send(), await sender.send()

    assert first["message_id"] == second["message_id"] == f"<{JOB}@windlass.example>"
    assert [taken.message["Message-ID"] for taken in sink.taken] == [first["message_id"]] * 2


async def test_connections_are_shared_and_few(sink: MailSink) -> None:
    async with sending(f"smtp://127.0.0.1:{sink.port}") as sender:
        await asyncio.gather(*(sender.send() for _ in range(40)))

    assert len(sink.taken) == 40
    assert 1 <= sink.connections <= 4


async def test_a_connection_that_the_server_closed_is_replaced(sink: MailSink) -> None:
    async with sending(f"smtp://127.0.0.1:{sink.port}") as sender:
        await sender.send()
        hang_up(sender)
        await sender.send()

    assert len(sink.taken) == 2
    assert sink.connections == 2


def hang_up(sender: Sender) -> None:
    """Close the idle connection as a server would: without a word."""
    assert sender.email._lines is not None
    [held] = sender.email._lines._held.values()
    [line] = held.thing._idle
    assert line.client.transport is not None
    line.client.transport.abort()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("550 no such mailbox", Discard),
        ("554 5.7.1 spam", Discard),
        ("451 greylisted, come back later", NotSent),
        ("452 mailbox full", NotSent),
        ("421 closing", NotSent),
    ],
)
async def test_a_permanent_refusal_is_final_and_a_temporary_one_is_not(
    sink: MailSink, answer: str, outcome: type[Exception]
) -> None:
    async with sending(f"smtp://127.0.0.1:{sink.port}") as sender:
        sink.refuse = {"ada@example.org": answer}
        with pytest.raises(outcome, match=f"ada@example.org: {answer[:3]}"):
            await sender.send()
        sink.refuse = {"jobs@windlass.example": answer}
        with pytest.raises(outcome, match=answer[:3]):
            await sender.send()
        sink.refuse, sink.data_answer = {}, lambda: answer
        with pytest.raises(outcome, match=answer[:3]):
            await sender.send()
        sink.data_answer = lambda: "250 OK"
        await sender.send()

    assert len(sink.taken) == 1


async def test_one_refused_recipient_keeps_the_message_from_all(sink: MailSink) -> None:
    sink.refuse = {"gone@example.org": "550 gone"}

    async with sending(f"smtp://127.0.0.1:{sink.port}") as sender:
        with pytest.raises(Discard, match="gone@example"):
            await sender.send(to=["ada@example.org", "gone@example.org"])

    assert sink.taken == []


async def test_a_server_that_is_away_is_tried_again_later() -> None:
    async with mail_sink() as gone:
        port = gone.port

    async with sending(f"smtp://127.0.0.1:{port}") as sender:
        with pytest.raises(NotSent, match="could not be talked to"):
            await sender.send()


@pytest.mark.parametrize("command", ["MAIL", "RSET"])
async def test_who_is_cancelled_while_the_server_is_silent_hangs_up(
    sink: MailSink, command: str
) -> None:
    async with sending(f"smtp://127.0.0.1:{sink.port}") as sender:
        await sender.send()  # whose line the next one takes
        sink.refuse, sink.silent_at = {"ada@example.org": "550 no such mailbox"}, command
        task = asyncio.create_task(sender.send())
        await asyncio.wait_for(sink.unanswered.wait(), 20)

        task.cancel()

        await until(lambda: not sink.open)
        assert task.cancelled()


async def test_who_is_cancelled_while_it_takes_leave_hangs_up_on_every_line(sink: MailSink) -> None:
    sender = Sender(parse_mail_url(f"smtp://127.0.0.1:{sink.port}"))
    await asyncio.gather(*(sender.send() for _ in range(4)))
    assert sink.open > 1
    sink.silent_at = "QUIT"
    task = asyncio.create_task(sender.email.close())
    await asyncio.wait_for(sink.unanswered.wait(), 20)

    task.cancel()

    await until(lambda: not sink.open)
    assert task.cancelled()


async def test_without_a_server_the_error_says_how_to_name_one() -> None:
    with pytest.raises(Discard, match=r"WINDLASS_SMTP_URL.*smtp\+starttls://"):
        await Sender(None).send()


async def test_nothing_is_sent_once_the_lease_is_in_doubt(sink: MailSink) -> None:
    desk = Desk()
    desk.stop = True

    async with sending(f"smtp://127.0.0.1:{sink.port}") as sender:
        with pytest.raises(ClaimLost):
            await sender.send(desk)

    assert sink.taken == []


# --- encryption ----------------------------------------------------------------------------------


async def test_tls_from_the_first_byte_with_a_password(trusted: Authority) -> None:
    context = trusted.vouch("localhost")
    async with mail_sink(tls=context, auth=True) as sink:
        url = f"smtps://ada:s3cret%2Fword@localhost:{sink.port}?ca={trusted.ca}"
        async with sending(url) as sender:
            await sender.send()

    assert [taken.user for taken in sink.taken] == ["ada"]


async def test_starttls_with_a_password(trusted: Authority) -> None:
    async with mail_sink(starttls=trusted.vouch("localhost"), auth=True) as sink:
        url = f"smtp+starttls://ada:s3cret%2Fword@localhost:{sink.port}?ca={trusted.ca}"
        async with sending(url) as sender:
            await sender.send()

    assert [taken.user for taken in sink.taken] == ["ada"]


async def test_a_wrong_password_is_final_and_not_told(trusted: Authority) -> None:
    async with mail_sink(starttls=trusted.vouch("localhost"), auth=True) as sink:
        url = f"smtp+starttls://ada:hush-hush@localhost:{sink.port}?ca={trusted.ca}"
        async with sending(url) as sender:
            with pytest.raises(Discard, match="535") as refused:
                await sender.send()

    assert "hush" not in str(refused.value)
    assert sink.taken == []


@pytest.mark.parametrize("scheme", ["smtps", "smtp+starttls"])
async def test_a_certificate_that_nobody_vouches_for_is_refused(
    scheme: str, trusted: Authority
) -> None:
    vouched = trusted.vouch("localhost")
    given: dict[str, ssl.SSLContext] = (
        {"tls": vouched} if scheme == "smtps" else {"starttls": vouched}
    )
    async with (
        mail_sink(**given) as sink,  # type: ignore[arg-type]
        sending(f"{scheme}://localhost:{sink.port}") as sender,
    ):
        with pytest.raises(NotSent, match="certificate verify failed"):
            await sender.send()

    assert sink.taken == []


@pytest.mark.parametrize("scheme", ["smtps", "smtp+starttls"])
async def test_a_certificate_of_another_host_is_refused(scheme: str, trusted: Authority) -> None:
    vouched = trusted.vouch("elsewhere.example.org")
    given: dict[str, ssl.SSLContext] = (
        {"tls": vouched} if scheme == "smtps" else {"starttls": vouched}
    )
    async with (
        mail_sink(**given) as sink,  # type: ignore[arg-type]
        sending(f"{scheme}://localhost:{sink.port}?ca={trusted.ca}") as sender,
    ):
        with pytest.raises(NotSent, match="certificate"):
            await sender.send()

    assert sink.taken == []


async def test_a_server_without_starttls_gets_neither_password_nor_mail(sink: MailSink) -> None:
    async with sending(f"smtp+starttls://ada:hush@localhost:{sink.port}") as sender:
        with pytest.raises(NotSent, match="STARTTLS"):
            await sender.send()

    assert sink.taken == []


# --- the server's URL ----------------------------------------------------------------------------


def test_a_url_says_where_the_server_is_and_how_to_talk_to_it() -> None:
    assert parse_mail_url("smtp://localhost") == MailServer(host="localhost", port=25, tls=Tls.NONE)
    assert parse_mail_url("smtps://u%40x:p%3Aq@mail.example.org") == MailServer(
        host="mail.example.org",
        port=465,
        tls=Tls.AT_ONCE,
        user="u@x",
        password="p:q",  # noqa: S106
    )
    assert parse_mail_url("smtp+starttls://h:2525?ca=/etc/ca.pem") == MailServer(
        host="h", port=2525, tls=Tls.STARTED, ca="/etc/ca.pem"
    )


@pytest.mark.parametrize(
    "url",
    [
        "mail.example.org",
        "http://mail.example.org",
        "smtp://",
        "smtp://h/inbox",
        "smtp://h?verify=no",
        "smtp://u:hush@mail.example.org",
        "smtps://u:hu#sh@mail.example.org",
        "smtps://u:hu/sh@mail.example.org:port",
    ],
)
def test_a_url_that_cannot_be_is_refused_without_telling_the_password(url: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_mail_url(url)

    assert "hush" not in str(refused.value)
    assert "hu#sh" not in str(refused.value)
    assert "hu/sh" not in str(refused.value)


def test_no_password_is_in_a_repr() -> None:
    assert "hush" not in repr(parse_mail_url("smtps://u:hush@h"))


# --- attacks -------------------------------------------------------------------------------------

BREAKS = ["\r\n", "\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\x7f", "\t"]
INJECTIONS = [
    *(f"x{pause}Bcc: evil@example.net" for pause in BREAKS),
    "=?utf-8?q?x=0D=0ABcc=3A_evil=40example=2Enet?=",
    "=?utf-8?b?eA0KQmNjOiBldmlsQGV4YW1wbGUubmV0?=",
    "a =?us-ascii?Q?=0ABcc:_evil@example.net?= b",
    "\ud800",
]
WRONG_ADDRESSES = [
    *INJECTIONS,
    *(f"Ada{pause}Bcc: evil@example.net <ada@example.org>" for pause in BREAKS),
    "a@example.org,evil@example.net",
    "a@example.org> RCPT TO:<evil@example.net",
    "<a@example.org>\r\nRCPT TO:<evil@example.net>",
    '"a\r\n"@example.org',
    '"a b"@example.org',
    "alice@example.org]<bob@evil.example>",
    "alice@example.org <bob@evil.example> ",
    "Ada <ada@example.org>, Eve <eve@evil.example>",
    "a@[127.0.0.1]",
    "a@-example.org",
    "a@example..org",
    "a@exam ple.org",
    "a b@example.org",
    "a@b@example.org",
    ".a@example.org",
    "ä@example.org",
    "a" * 65 + "@example.org",
    "a@" + "b" * 64 + ".org",
    "@example.org",
    "a@",
    "nobody",
    "",
]


@pytest.mark.parametrize("attack", INJECTIONS, ids=ascii)
@pytest.mark.parametrize("place", ["subject", "filename"])
def test_no_header_takes_a_line_break_in_any_disguise(place: str, attack: str) -> None:
    files = [{"name": attack, "content": ""}]

    with pytest.raises(BadPayload):
        Sender(None).enqueue(
            **({"subject": attack} if place == "subject" else {"attachments": files})
        )


@pytest.mark.parametrize("attack", WRONG_ADDRESSES, ids=ascii)
@pytest.mark.parametrize("field", ["to", "cc", "bcc", "reply_to"])
def test_an_address_is_one_address_and_nothing_more(field: str, attack: str) -> None:
    with pytest.raises(BadPayload):
        Sender(None).enqueue(**{field: attack})


@pytest.mark.parametrize(
    "payload",
    [
        {"to": []},
        {"to": [f"a{number}@example.org" for number in range(10_000)]},
        {"headers": {"X-Evil": "1"}},
        {"from": "evil@example.net"},
        {"attachments": [{"name": "a", "content": "", "type": "multipart/mixed"}]},
        {"attachments": [{"name": "a", "content": "", "type": "text/plain\r\nBcc: x@y.z"}]},
        {"attachments": [{"name": "a", "content": "no base64"}]},
    ],
)
def test_what_no_message_should_have_is_refused_when_it_is_enqueued(
    payload: dict[str, Any],
) -> None:
    with pytest.raises(BadPayload):
        Sender(None).enqueue(**payload)


@pytest.mark.parametrize(
    "body",
    [
        "a\r\n.\r\nMAIL FROM:<evil@example.net>\r\n",
        "a\n.\nMAIL FROM:<evil@example.net>\n",
        "a\r.\rMAIL FROM:<evil@example.net>\r",
        "a\n.\r\nRCPT TO:<evil@example.net>\r\nDATA\r\n",
        "a\r\n.\nQUIT\n",
        ".\r\n.\r\n",
        "..",
    ],
)
async def test_no_body_ends_its_message_early(sink: MailSink, body: str) -> None:
    async with sending(f"smtp://127.0.0.1:{sink.port}") as sender:
        await sender.send(body=body)
        await sender.send(body="the next")

    first, second = (taken.message.get_content().splitlines() for taken in sink.taken)
    assert first == body.splitlines()
    assert second == ["the next"]
    assert {tuple(taken.recipients) for taken in sink.taken} == {("ada@example.org",)}


HEADERS = {
    "message-id",
    "date",
    "subject",
    "from",
    "to",
    "reply-to",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
}


@given(st.text(), st.text())
@example("=?utf-8?q?x=0D=0ABcc=3A_x=40y=2Ez?=", "=?utf-8?q?x=0D=0ABcc=3A_x=40y=2Ez?=")
@example("x" * 998, "y" * 200)
def test_whatever_is_said_there_is_no_header_but_those_that_were_meant(
    subject: str, name: str
) -> None:
    try:
        payload = {**PLAIN, "subject": subject, "reply_to": f"{name} <help@example.org>"}
        letter = msgspec.convert(payload, Letter)
        sealed = seal(letter, SENDER, "<1@windlass.example>", datetime.now(UTC))
    except ValueError:
        return  # refused

    parsed = BytesHeaderParser().parsebytes(sealed.content)
    assert {header.lower() for header in parsed} <= HEADERS
    assert len(parsed.keys()) == len(set(parsed.keys()))


# --- in a worker ---------------------------------------------------------------------------------


async def test_a_worker_sends_mail_and_hangs_up_when_it_ends(
    store_url: str, sink: MailSink
) -> None:
    settings = Settings(
        store=store_url, smtp_url=f"smtp://127.0.0.1:{sink.port}", mail_from="Jobs <jobs@x.example>"
    )
    async with Windlass(settings=settings, builtins=True) as app, app.worker():
        enqueued = await app.enqueue(app.job_of("email", PLAIN))
        job = await app.wait(enqueued.id)

    assert job.state is State.COMPLETED, job
    assert job.result["message_id"] == f"<{job.id}@x.example>"
    assert [taken.message["From"] for taken in sink.taken] == ["Jobs <jobs@x.example>"]
    await until(lambda: not sink.open)
