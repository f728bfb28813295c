"""The server on a real socket: what it bears, what it refuses, and how it ends."""

import asyncio
import gc
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.http.layered import Layered
from tests.waiting import until
from windlass.clock import SystemClock
from windlass.http import server as servers
from windlass.http.answer import Answer, Send, send
from windlass.http.exchange import Exchange
from windlass.http.middleware.layer import Asgi
from windlass.http.request import Receive, Scope
from windlass.http.server import Server
from windlass.observe.events import RequestServed
from windlass.worker.background import background

POST = b"POST /jobs HTTP/1.1\r\nHost: localhost\r\n"
GET = b"GET /jobs HTTP/1.1\r\nHost: localhost\r\n"


class Site:
    """A server with every layer, and raw connections to it."""

    def __init__(self, layered: Layered) -> None:
        self.layered = layered
        self.server = Server(layered.app, layered.drain, SystemClock())
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]

    async def open(self) -> None:
        """Listen."""
        await self.server.listen([self._socket])

    async def connect(self) -> "Line":
        """A new connection."""
        return Line(*await asyncio.open_connection("127.0.0.1", self.port))

    async def stop(self, seconds: float = 5.0) -> int:
        """End it."""
        return await self.server.stop(seconds, asyncio.Event())

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self.server._connections)


class Line:
    """A connection on which one can say anything."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def say(self, data: bytes) -> None:
        """Send it, whatever it is."""
        self._writer.write(data)

    async def head(self, length: int | None = None) -> bytes:
        """The next answer, without its body, which is as long as it says or as the caller knows."""
        head = await self._reader.readuntil(b"\r\n\r\n")
        said = (
            int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"content-length")
        )
        self.body = await self._reader.readexactly(next(said, 0) if length is None else length)
        return head

    async def read(self, length: int) -> bytes:
        """So many bytes."""
        return await self._reader.readexactly(length)

    async def rest(self) -> bytes:
        """Everything until the other side hangs up."""
        try:
            return await self._reader.read()
        except ConnectionResetError:
            return b""

    def close(self) -> None:
        """Hang up."""
        self._writer.close()


@asynccontextmanager
async def serving(inner: Asgi | None = None, **settings: object) -> AsyncIterator[Site]:
    """A server while the block runs."""
    site = Site(Layered(inner, **settings))
    await site.open()
    async with background(site.server.run()):
        yield site
        await site.stop(0)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds of the server are short, and so is its patience."""
    monkeypatch.setattr(servers, "EVERY", 0.01)


async def test_it_tells_nothing_of_what_it_is() -> None:
    async with serving() as site:
        line = await site.connect()
        line.say(GET + b"\r\n")
        head = await line.head()
        line.close()

    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"date: " in head
    assert b"server:" not in head
    assert b"uvicorn" not in head


async def test_answered_requests_leave_no_garbage() -> None:
    async with serving() as site:
        line = await site.connect()
        gc.collect()
        gc.disable()
        for _ in range(10):
            line.say(POST + b"Content-Length: 2\r\n\r\nhi")
            await line.head()
        left = sum(type(one) is Exchange for one in gc.get_objects())
        gc.enable()
        line.close()

    # The connection keeps the last one until the next comes.
    assert left == 1


@pytest.mark.parametrize(
    "said",
    [
        b"hello\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /jobs\r\n\r\n",
        b"GET /j\xc3\xa9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        GET + b"Bad Header: x\r\n\r\n",
        GET + b"X: a\x00b\r\n\r\n",
        POST + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd",
        POST + b"Content-Length: -4\r\n\r\nabcd",
        POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
async def test_what_is_not_http_is_refused_as_everything_else(said: bytes) -> None:
    async with serving() as site:
        line = await site.connect()
        line.say(said)
        answer = await line.rest()
        line.close()

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"application/problem+json" in answer
    assert b"Traceback" not in answer


@pytest.mark.parametrize("pieces", [1, 40])
async def test_headers_have_an_end(pieces: int) -> None:
    async with serving() as site:
        line = await site.connect()
        line.say(GET)
        for number in range(pieces):
            line.say(b"X-%d: %s\r\n" % (number, b"x" * (20_000 // pieces)))
            await asyncio.sleep(0)
        line.say(b"\r\n")
        answer = await line.rest()
        line.close()

    assert answer.startswith(b"HTTP/1.1 431 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["type"].endswith("long-headers")
    assert site.layered.observer.of(RequestServed) == []


async def test_headers_up_to_that_are_taken() -> None:
    async with serving() as site:
        line = await site.connect()
        line.say(GET + b"X: " + b"x" * 15_000 + b"\r\n\r\n")
        head = await line.head()
        line.close()

    assert head.startswith(b"HTTP/1.1 200 ")


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("said", [b"", b"G", GET])
async def test_headers_that_do_not_come_are_not_waited_for(said: bytes) -> None:
    async with serving() as site:
        line = await site.connect()
        line.say(said)

        answer = await asyncio.wait_for(line.rest(), 30)
        line.close()

    assert answer == b""


@pytest.mark.usefixtures("hasty")
async def test_a_request_that_is_answered_slowly_is_not_hung_up_on() -> None:
    async def slow(scope: Scope, receive: Receive, send_: Send) -> None:
        await asyncio.sleep(0.5)
        await send(Answer(202), send_)

    async with serving(slow) as site:
        line = await site.connect()
        line.say(GET + b"\r\n")
        head = await line.head()
        line.close()

    assert head.startswith(b"HTTP/1.1 202 ")


@pytest.mark.usefixtures("hasty")
async def test_who_sends_on_after_a_refusal_can_read_it_and_is_then_hung_up_on() -> None:
    async with serving(body_limit=1024) as site:
        line = await site.connect()
        line.say(POST + b"Transfer-Encoding: chunked\r\n\r\n")
        line.say(b"800\r\n" + b"x" * 2048 + b"\r\n")
        head = await line.head()
        line.say(b"800\r\n" + b"x" * 2048 + b"\r\n")
        await asyncio.wait_for(line.rest(), 30)
        line.close()

    assert head.startswith(b"HTTP/1.1 413 ")


async def test_a_refused_body_does_not_end_the_connection() -> None:
    async with serving(body_limit=1024) as site:
        line = await site.connect()
        line.say(POST + b"Content-Length: 2000\r\n\r\n")
        refused = await line.head()
        line.say(b"x" * 2000 + GET + b"\r\n")
        head = await line.head()
        line.close()

    assert refused.startswith(b"HTTP/1.1 413 ")
    assert head.startswith(b"HTTP/1.1 200 ")


async def test_who_asks_before_sending_is_told_before_sending() -> None:
    async with serving(body_limit=1024) as site:
        line = await site.connect()
        line.say(POST + b"Content-Length: 2000\r\nExpect: 100-continue\r\n\r\n")
        refused = await line.head()
        line.close()

    assert refused.startswith(b"HTTP/1.1 413 ")


SWITCHES = [
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
    b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\n",
]


@pytest.mark.parametrize("switch", SWITCHES)
@pytest.mark.parametrize("pieces", [1, 2, 200])
async def test_an_offer_to_switch_protocols_is_passed_over(switch: bytes, pieces: int) -> None:
    body = GET + b"\r\n"  # which must not be taken for a request
    said = POST + switch + b"Content-Length: %d\r\n\r\n" % len(body) + body
    size = -(-len(said) // pieces)

    async with serving() as site:
        line = await site.connect()
        for start in range(0, len(said), size):
            line.say(said[start : start + size])
            await asyncio.sleep(0.001)
        first = await line.head()
        echoed = line.body
        line.say(GET + switch + b"\r\n" + GET + b"\r\n")
        others = [await line.head(), await line.head()]
        line.close()

    assert (first[:15], echoed) == (b"HTTP/1.1 200 OK", body)
    assert [head[:15] for head in others] == [b"HTTP/1.1 200 OK"] * 2
    assert len(site.layered.observer.of(RequestServed)) == 3


async def test_an_offer_to_switch_in_the_middle_of_pieces_is_refused() -> None:
    async with serving() as site:
        line = await site.connect()
        line.say(POST + SWITCHES[0] + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        answer = await line.rest()
        line.close()

    assert answer.startswith(b"HTTP/1.1 501 ")


async def test_requests_in_a_row_are_answered_in_a_row() -> None:
    async with serving() as site:
        line = await site.connect()
        line.say((GET + b"\r\n") * 5)
        heads = [await line.head() for _ in range(5)]
        line.close()

    assert {head[:15] for head in heads} == {b"HTTP/1.1 200 OK"}


async def test_hundreds_of_idle_connections_keep_nobody_out() -> None:
    async with serving() as site:
        idle = [await site.connect() for _ in range(300)]
        line = await site.connect()
        line.say(GET + b"\r\n")
        head = await asyncio.wait_for(line.head(), 30)
        for each in (*idle, line):
            each.close()

    assert head.startswith(b"HTTP/1.1 200 ")


@pytest.mark.usefixtures("hasty")
async def test_an_idle_connection_is_kept_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "KEEP_ALIVE", 20)
    async with serving() as site:
        line = await site.connect()
        for _ in range(3):
            line.say(GET + b"\r\n")
            await line.head()
        before = site.connections

        left = await asyncio.wait_for(line.rest(), 30)
        line.close()

    assert (before, left) == (1, b"")


@pytest.mark.parametrize("value", [b"a\r\nSet-Cookie: b", b"a\nSet-Cookie: b", b"a\rSet-Cookie: b"])
async def test_a_header_never_becomes_two(value: bytes) -> None:
    async def tricked(scope: Scope, receive: Receive, send_: Send) -> None:
        await send(Answer(headers=((b"location", value),)), send_)

    async with serving(tricked) as site:
        line = await site.connect()
        line.say(GET + b"\r\n")
        answer = await line.rest()
        line.close()

    assert answer.startswith(b"HTTP/1.1 500 ")
    assert b"Set-Cookie" not in answer


async def test_an_answer_in_pieces_is_sent_in_pieces() -> None:
    go_on = asyncio.Event()

    async def pieces(scope: Scope, receive: Receive, send_: Send) -> None:
        await send_({"type": "http.response.start", "status": 200, "headers": []})
        await send_({"type": "http.response.body", "body": b"one", "more_body": True})
        await go_on.wait()
        await send_({"type": "http.response.body", "body": b"two", "more_body": True})
        await send_({"type": "http.response.body", "body": b""})

    async with serving(pieces) as site:
        line = await site.connect()
        line.say(GET + b"Connection: close\r\n\r\n")
        head = await line.head()
        first = await line.read(len(b"3\r\none\r\n"))
        go_on.set()
        rest = await line.rest()
        line.close()

    assert b"transfer-encoding: chunked\r\n" in head
    assert b"connection: close\r\n" in head
    assert (first, rest) == (b"3\r\none\r\n", b"3\r\ntwo\r\n0\r\n\r\n")


@pytest.mark.parametrize(
    ("method", "status", "size"), [(b"HEAD", 200, 0), (b"GET", 204, 0), (b"GET", 200, 1 << 20)]
)
async def test_the_next_answer_begins_where_this_one_ends(
    method: bytes, status: int, size: int
) -> None:
    async def sized(scope: Scope, receive: Receive, send_: Send) -> None:
        bodiless = scope["method"] == "HEAD"
        await send(Answer(status, b"x" * (size or 3)), send_, bodiless=bodiless or status == 204)

    async with serving(sized) as site:
        line = await site.connect()
        line.say(GET.replace(b"GET", method) + b"\r\n" + GET.replace(b"GET", method) + b"\r\n")
        heads = [await line.head(size), await line.head(size)]
        line.close()

    assert {int(head[9:12]) for head in heads} == {status}


async def test_an_answer_that_is_not_as_long_as_it_says_ends_the_connection() -> None:
    async def short(scope: Scope, receive: Receive, send_: Send) -> None:
        headers = [(b"content-length", b"9")]
        await send_({"type": "http.response.start", "status": 200, "headers": headers})
        await send_({"type": "http.response.body", "body": b"short"})

    async with serving(short) as site:
        line = await site.connect()
        line.say(GET + b"\r\n")
        answer = await line.rest()
        line.close()

    assert answer.endswith(b"short")


async def test_a_stop_lets_go_of_idle_connections() -> None:
    async with serving() as site:
        line = await site.connect()
        line.say(GET + b"\r\n")
        await line.head()

        cut = await site.stop()
        left = await line.rest()
        line.close()

    assert (cut, left, site.connections) == (0, b"", 0)


async def test_a_request_on_its_way_meets_an_answer() -> None:
    async with serving() as site:
        line = await site.connect()
        line.say(GET + b"\r\n")
        await line.head()
        stopping = asyncio.create_task(site.stop())
        await until(lambda: site.layered.drain.begun)

        line.say(GET + b"\r\n")
        head = await line.head()
        rest = await line.rest()
        line.close()

        assert await stopping == 0

    assert head.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 1\r\n" in head
    assert b"connection: close\r\n" in head
    assert rest == b""


async def test_what_takes_too_long_is_cut_off_and_told_so() -> None:
    begun = asyncio.Event()

    async def stuck(scope: Scope, receive: Receive, send_: Send) -> None:
        begun.set()
        await asyncio.Event().wait()

    async with serving(stuck) as site:
        line = await site.connect()
        line.say(GET + b"\r\n")
        await begun.wait()

        cut = await site.stop(0.1)
        head = await line.head()
        line.close()

    assert cut == 1
    assert head.startswith(b"HTTP/1.1 503 ")
    assert json.loads(line.body)["type"] == "urn:windlass:problem:stopping"


async def test_who_hurries_need_not_wait() -> None:
    begun, hurry = asyncio.Event(), asyncio.Event()

    async def stuck(scope: Scope, receive: Receive, send_: Send) -> None:
        begun.set()
        await asyncio.Event().wait()

    async with serving(stuck) as site:
        line = await site.connect()
        line.say(GET + b"\r\n")
        await begun.wait()
        stopping = asyncio.create_task(site.server.stop(3600, hurry))
        await until(lambda: site.layered.drain.begun)

        hurry.set()

        assert await stopping == 1
        line.close()


async def test_who_reads_nothing_does_not_hold_up_the_end() -> None:
    async def flood(scope: Scope, receive: Receive, send_: Send) -> None:
        await send(Answer(body=b"x" * (64 << 20)), send_)

    async with serving(flood) as site:
        line = await site.connect()
        line.say(GET + b"\r\n")
        await until(lambda: site.layered.observer.of(RequestServed))

        await asyncio.wait_for(site.stop(0.1), 30)

        assert site.connections <= 1
        line.close()
