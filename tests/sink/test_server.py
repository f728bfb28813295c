"""A real mailer, and others, at the mail sink's real socket."""

import asyncio
from collections.abc import AsyncIterator

import aiosmtplib
import pytest

from tests.waiting import until
from windlass.clock import SystemClock
from windlass.sink import server
from windlass.sink.server import MailSink


@pytest.fixture
async def sink() -> AsyncIterator[MailSink]:
    """A sink that listens."""
    sink = MailSink(SystemClock())
    async with sink.listening():
        yield sink


def port_of(sink: MailSink) -> int:
    """Where it listens."""
    return int(sink.url.rpartition(":")[2])


async def connected(sink: MailSink) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A caller who says nothing of its own accord."""
    return await asyncio.open_connection("127.0.0.1", port_of(sink))


async def test_a_mailer_hands_in_what_it_has(sink: MailSink) -> None:
    text = "Subject: Hi\r\n\r\n.dots\r\n..more\r\nend\r\n"

    answers = [
        await aiosmtplib.send(
            f"{text}{number}\r\n",
            sender="bob@example.org",
            recipients=["ada@example.org", "eve@example.org"],
            hostname="127.0.0.1",
            port=port_of(sink),
        )
        for number in range(2)
    ]

    newest, oldest = sink.tray.newest_first()
    assert [answer[0] for answer in answers] == [{}, {}]
    assert newest.content.decode() == f"{text}1\r\n"
    assert newest.recipients == ("ada@example.org", "eve@example.org")
    assert (newest.id, oldest.id) == ("2", "1")
    assert newest.subject == "Hi"


async def test_it_listens_to_this_machine_only(sink: MailSink) -> None:
    assert sink.url.startswith("smtp://127.0.0.1:")
    assert sink._socket.getsockname()[0] == "127.0.0.1"


async def test_there_is_an_end_to_callers(sink: MailSink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_CALLERS", 2)
    calls = [await connected(sink) for _ in range(2)]
    greetings = [await reader.readline() for reader, _ in calls]

    reader, refused = await connected(sink)
    told = await reader.read()
    calls[0][1].close()
    await until(lambda: len(sink._calls) == 1)
    again, writer = await connected(sink)

    assert [greeting[:3] for greeting in greetings] == [b"220", b"220"]
    assert told.startswith(b"421")
    assert (await again.readline()).startswith(b"220")
    for one in (refused, writer, calls[1][1]):
        one.close()


async def test_who_says_nothing_is_not_waited_for(
    sink: MailSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "PATIENCE", 0.05)
    reader, writer = await connected(sink)

    told = await reader.read()

    assert told.splitlines()[-1].startswith(b"421")
    writer.close()


async def test_who_does_not_listen_is_not_answered_without_end(
    sink: MailSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "PATIENCE", 0.5)
    _, writer = await connected(sink)
    writer.write(b"EHLO me\r\n" + b"NOOP\r\n" * 4_000_000)

    await until(lambda: len(sink._calls) == 1)
    [call] = sink._calls
    await until(lambda: not sink._calls, at_most=20)

    assert call._transport.is_closing()
    writer.transport.abort()  # for much was not sent yet


async def test_when_it_ends_everybody_is_told() -> None:
    sink = MailSink(SystemClock())

    async with sink.listening():
        reader, writer = await connected(sink)
        await reader.readline()
    told = await reader.read()

    assert told.startswith(b"421")
    with pytest.raises(ConnectionRefusedError):
        await connected(sink)
    writer.close()
