"""Connections made to stall, confuse or crowd out the server (D7): real sockets, every layer."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import psutil
import pytest

from tests.attacks.fort import Fort, standing
from windlass.http import connection as connections
from windlass.http import server as servers
from windlass.http.access import Scope
from windlass.http.middleware import deadlines

HOST = b"Host: localhost\r\n"
JSON = HOST + b"Content-Type: application/json\r\n"
POST = b"POST /jobs HTTP/1.1\r\n" + JSON
GET = b"GET /livez HTTP/1.1\r\n" + HOST
JOB = b'{"type": "anything", "name": "smuggled"}'
INNER = b"POST /jobs HTTP/1.1\r\n%bContent-Length: %d\r\n\r\n%b" % (JSON, len(JOB), JOB)
SECRET = "not-a-secret-but-long-enough-for-one"  # noqa: S105 - for these tests only


def chunked(body: bytes) -> bytes:
    """The body in one chunk."""
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


@pytest.fixture(scope="module")
async def alone(folder: Path) -> AsyncIterator[Fort]:
    """A service on an embedded store: what is attacked here never comes as far as the store."""
    async with standing(f"sqlite:///{folder / 'alone.db'}") as fort:
        yield fort


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds of the server are short, and so is its patience."""
    monkeypatch.setattr(servers, "EVERY", 0.02)
    monkeypatch.setattr(deadlines, "BODY_SECONDS", 0.2)
    monkeypatch.setattr(deadlines, "SWEEP_SECONDS", 0.05)


@pytest.mark.parametrize(
    "said",
    [
        POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + INNER,
        POST + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + INNER,
        POST
        + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"
        + INNER,
        POST + b"Transfer-Encoding: identity, chunked, identity\r\n\r\n0\r\n\r\n" + INNER,
        POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + INNER,
        POST + b"Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n\r\n" + INNER,
        POST + b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n" + INNER,
        POST + b" Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + INNER,
        POST + b"Content-Length: 0\r\nContent-Length: 40\r\n\r\n" + INNER,
        POST + b"Content-Length: 0, 40\r\n\r\n" + INNER,
        POST + b"Content-Length: +0\r\n\r\n" + INNER,
        POST + b"Content-Length: 0x0\r\n\r\n" + INNER,
        POST + b"Content-Length: 99999999999999999999999\r\n\r\n" + INNER,
        POST + b"Content-Length: -1\r\n\r\n" + INNER,
        POST + b"Content-Length: 1_0\r\n\r\n" + INNER,
        POST + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n" + INNER,
        POST + b"Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n" + INNER,
        POST + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n" + INNER,
        POST + b"Transfer-Encoding: chunked\r\n\r\n1\nx\n0\n\n" + INNER,
        b"POST /jobs HTTP/1.1\n" + HOST + b"Content-Length: 0\n\n" + INNER,
        b"POST /jobs HTTP/9.9\r\n" + JSON + b"Content-Length: 0\r\n\r\n" + INNER,
        b"GET http://evil.example/jobs HTTP/1.1\r\nHost: localhost\r\nX\r\n\r\n" + INNER,
    ],
)
async def test_what_can_be_read_in_two_ways_is_not_read_on(alone: Fort, said: bytes) -> None:
    answer = await alone.say(said)

    statuses = [part[:3] for part in answer.split(b"HTTP/1.1 ")[1:]]
    assert statuses[:1] == [b"400"], answer
    assert b"Traceback" not in answer
    assert await alone.found("/jobs", name="smuggled") == set()


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (POST + b"Content-Length: 9999999\r\n\r\n{", b"413"),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(b" " * 1_200_000), b"413"),
        (POST + b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08", b"415"),
        (POST + b"Content-Encoding: identity, br\r\nContent-Length: 3\r\n\r\nabc", b"415"),
        (POST + b"Expect: 100-continue\r\nContent-Length: 9999999\r\n\r\n", b"413"),
        (GET + b"Range: bytes=0-0,0-1,0-2," + b"0-3," * 2_000 + b"0-4\r\n\r\n", b"200"),
        (GET + b"Range: bytes=0-" + b"9" * 1_000 + b"\r\n\r\n", b"200"),
        (GET + b"If-None-Match: " + b"x" * 9_000 + b"\r\n\r\n", b"200"),
        (GET + b"Cookie: " + b"a=b; " * 2_000 + b"\r\n\r\n", b"200"),
        (GET + b"X: " + b"x" * 20_000 + b"\r\n\r\n", b"431"),
        (GET + b"".join(b"X%d: y\r\n" % number for number in range(3_000)) + b"\r\n", b"431"),
        (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", b"431"),
        (b"GET /jobs?q=" + b"%20" * 5_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", b"400"),
        (b"TRACE / HTTP/1.1\r\n" + HOST + b"X-Secret: 1\r\n\r\n", b"405"),
        (b"CONNECT evil.example:443 HTTP/1.1\r\n" + HOST + b"\r\n", b"4"),
        (b"PROPFIND /jobs HTTP/1.1\r\n" + HOST + b"\r\n", b"405"),
        (b"GET /jobs HTTP/1.0\r\n\r\n", b"400"),
        (b"GET /events HTTP/1.1\r\n" + HOST + b"Upgrade: websocket\r\nConnection: close\r\n", b""),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"400"),
    ],
)
async def test_odd_requests_are_answered_as_what_they_are(
    alone: Fort, said: bytes, status: bytes
) -> None:
    reader, writer = await alone.connect()
    writer.write(said)

    if not status:
        writer.write(b"\r\n")
    head = await asyncio.wait_for(reader.readuntil(b"\r\n"), 30)
    writer.close()

    assert head.startswith(b"HTTP/1.1 " + (status or b"200")), head
    assert b"x-secret" not in head.lower()


async def test_a_length_that_lies_holds_nobody_up_but_the_liar(alone: Fort) -> None:
    short = await alone.say(POST + b"Connection: close\r\nContent-Length: 2\r\n\r\n" + JOB)
    reader, writer = await alone.connect()
    writer.write(POST + b"Content-Length: 4000\r\n\r\n" + JOB)

    meanwhile = await alone.ask("GET", "/livez")
    writer.write_eof()
    rest = await asyncio.wait_for(reader.read(), 30)
    writer.close()

    assert short.startswith(b"HTTP/1.1 4")
    assert meanwhile.status == 200
    assert b" 202 " not in rest
    assert await alone.found("/jobs", name="smuggled") == set()


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("said", "drip", "answer"),
    [
        (b"GET /livez HTTP/1.1\r\n", b"X: y\r\n", b""),
        (GET, b"a", b""),
        (POST + b"Content-Length: 4000\r\n\r\n", b" ", b"HTTP/1.1 408 "),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", b"HTTP/1.1 408 "),
    ],
)
async def test_who_drips_is_hung_up_on(
    folder: Path, said: bytes, drip: bytes, answer: bytes
) -> None:
    async with standing(f"sqlite:///{folder / 'drip.db'}") as fort:
        reader, writer = await fort.connect()
        writer.write(said)
        dripping = asyncio.create_task(_drip(writer, drip))

        told = await asyncio.wait_for(_rest(reader), 30)
        dripping.cancel()
        writer.close()

    assert told.startswith(answer)
    assert bool(told) is bool(answer)


async def _drip(writer: asyncio.StreamWriter, drop: bytes) -> None:
    while True:
        writer.write(drop)
        await asyncio.sleep(0.01)


async def _rest(reader: asyncio.StreamReader) -> bytes:
    """What comes until the other side hangs up, however it does."""
    told = b""
    try:
        while piece := await reader.read(1000):
            told += piece
    except ConnectionError:
        pass
    return told


async def test_a_thousand_idle_connections_leave_the_api_responsive(alone: Fort) -> None:
    async with AsyncExitStack() as stack:
        for number in range(1_000):
            _, writer = await alone.connect()
            stack.callback(writer.close)
            writer.write(
                (b"", b"GET /livez HT", GET, POST + b"Content-Length: 9\r\n\r\n{")[number % 4]
            )

        took = []
        for _ in range(50):
            began = time.monotonic()
            assert (await alone.ask("POST", "/jobs", {"type": "anything"})).status == 202
            took.append(time.monotonic() - began)

    assert sorted(took)[25] < 1.0


async def test_who_reads_nothing_costs_no_more_than_a_connection(alone: Fort) -> None:
    job_id = await alone.submit(payload={"what": "x" * 1_000_000})
    ask = b"GET /jobs/" + job_id.encode() + b" HTTP/1.1\r\n" + HOST + b"\r\n"
    before = psutil.Process().memory_info().rss
    async with AsyncExitStack() as stack:
        for _ in range(20):
            reader, writer = await alone.connect()
            stack.callback(writer.close)
            writer.write(ask * 20)
            await reader.readexactly(1)  # the first is on its way
            writer.transport.pause_reading()  # type: ignore[attr-defined]

        statuses = {(await alone.ask("GET", "/livez")).status for _ in range(50)}
        grown = psutil.Process().memory_info().rss - before

    assert statuses == {200}
    assert grown < 200_000_000  # half of all that was asked for


async def test_a_thousand_requests_in_one_piece_are_answered_in_order(alone: Fort) -> None:
    last = b"GET /livez HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"

    answer = await alone.say((GET + b"\r\n") * 999 + last, at_most=60)

    assert answer.count(b"HTTP/1.1 200 OK\r\n") == 1_000


async def test_who_asks_too_often_is_slowed_and_nobody_else_is(folder: Path) -> None:
    async with standing(f"sqlite:///{folder / 'rate.db'}", secret=SECRET, rate=2.0) as fort:
        ada, bob = (
            {"Authorization": f"Bearer {fort.token(Scope.READ, name=name)}"}
            for name in ("ada", "bob")
        )

        heard = [await fort.ask("GET", "/jobs", None, ada) for _ in range(20)]
        other = await fort.ask("GET", "/jobs", None, bob)
        health = await fort.ask("GET", "/readyz")
        guessing = [
            (await fort.ask("GET", "/jobs", None, {"Authorization": f"Bearer {n}"})).status
            for n in range(20)
        ]

    refused = [one for one in heard if one.status == 429]
    assert {one.status for one in heard} == {200, 429}
    assert {one.headers["retry-after"] for one in refused} == {"1"}
    assert (other.status, health.status) == (200, 200)
    assert set(guessing) == {401, 429}


def test_the_patience_of_the_server_is_seconds() -> None:
    assert connections.HEADERS_PATIENCE * servers.EVERY <= 10
    assert deadlines.BODY_SECONDS <= 10
    assert connections.MOST_HEADER_BYTES == 16 << 10
