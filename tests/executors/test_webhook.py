"""Webhooks reach their receiver as they were meant, signed, and are judged by the answer."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import Mock

import pytest
from aiohttp import web

from tests.executors.attempts import JOB, Desk, context
from tests.executors.receivers import Call, Receiver, raw, receiver
from windlass import State, Windlass
from windlass.clock import SystemChance, SystemClock
from windlass.config import Settings
from windlass.core.errors import BadPayload, ClaimLost
from windlass.executors.base import Discard, Retry, Snooze
from windlass.executors.client import Client
from windlass.executors.door import Door
from windlass.executors.exchange import Unreachable
from windlass.executors.handlers import from_object
from windlass.executors.hosts import AT_ONCE, Hosts
from windlass.executors.reach import parse_reach
from windlass.executors.signing import Signer, verify
from windlass.executors.webhook import Delivered, NotTaken, Webhook, retry_after

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105
NOW = 1_700_000_000.0


class Caller:
    """The executor as a worker would call it."""

    def __init__(self, *secrets: str) -> None:
        clock = SystemClock()
        door = Door(parse_reach(["loopback"]), clock, SystemChance())
        self.webhook = Webhook(door, Signer(secrets), clock)
        self._executor = from_object(self.webhook, {})

    def enqueue(self, url: str, **payload: Any) -> str:
        """The payload as it would be kept."""
        return self._executor.validate({"url": url, **payload})

    async def call(self, url: str, desk: Desk | None = None, **payload: Any) -> Delivered:
        """Call a URL."""
        text = self.enqueue(url, **payload)
        delivered: Delivered = await self._executor.call(text, context(desk))
        return delivered


@asynccontextmanager
async def calling(*secrets: str) -> AsyncIterator[Caller]:
    """A caller who closes its connections at the end."""
    caller = Caller(*secrets)
    try:
        yield caller
    finally:
        await caller.webhook.close()


@pytest.fixture
async def taken() -> AsyncIterator[Receiver]:
    async with receiver() as taken:
        yield taken


@pytest.fixture
async def caller() -> AsyncIterator[Caller]:
    async with calling() as caller:
        yield caller


def answering(status: int, text: str = "", **headers: str) -> Any:
    """An answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: web.Response(status=status, text=text, headers=named)


async def test_a_receiver_gets_what_was_enqueued(taken: Receiver, caller: Caller) -> None:
    delivered = await caller.call(
        f"{taken.url}?x=1",
        method="PUT",
        body={"event": "user.signed_up", "user_id": 123},
        headers={"Authorization": "Bearer token123"},
    )

    [call] = taken.calls
    assert (call.method, call.path) == ("PUT", "/hook?x=1")
    assert json.loads(call.body) == {"event": "user.signed_up", "user_id": 123}
    assert call.headers["authorization"] == "Bearer token123"
    assert call.headers["content-type"] == "application/json"
    assert call.headers["user-agent"] == "Windlass"
    assert (delivered["status"], delivered["body"], delivered["whole"]) == (200, "thanks", True)
    assert delivered["headers"]["Content-Type"] == "text/plain; charset=utf-8"


async def test_text_is_sent_as_it_is(taken: Receiver, caller: Caller) -> None:
    await caller.call(taken.url, body="grüße", headers={"Content-Type": "text/csv"})
    await caller.call(taken.url, body="grüße")
    await caller.call(taken.url, method="GET")

    assert [call.body for call in taken.calls] == ["grüße".encode(), "grüße".encode(), b""]
    assert [call.headers.get("content-type") for call in taken.calls] == [
        "text/csv",
        "text/plain; charset=utf-8",
        None,
    ]


async def test_a_second_call_carries_the_same_ids(taken: Receiver, caller: Caller) -> None:
    await caller.call(taken.url, body={})
    await caller.call(taken.url, body={})

    ids = [(call.headers["webhook-id"], call.headers["idempotency-key"]) for call in taken.calls]
    assert ids == [(JOB, JOB)] * 2


async def test_who_has_a_secret_signs_the_bytes_that_are_sent(taken: Receiver) -> None:
    async with calling(SECRET) as caller:
        await caller.call(taken.url, body={"ü": 1.0})

    [call] = taken.calls
    verify([SECRET], call.headers, call.body, SystemClock().now_us() / 1e6)


async def test_without_a_secret_nothing_is_signed(taken: Receiver, caller: Caller) -> None:
    await caller.call(taken.url)

    assert "webhook-signature" not in taken.calls[0].headers


# --- answers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 410, 422, 301, 308])
async def test_an_answer_that_will_stay_the_same_is_final(
    status: int, taken: Receiver, caller: Caller
) -> None:
    taken.answer = answering(status, "no such hook")

    with pytest.raises(Discard, match=f"answered {status} .*no such hook"):
        await caller.call(taken.url)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 302, 304, 307])
async def test_an_answer_that_may_change_is_tried_again(
    status: int, taken: Receiver, caller: Caller
) -> None:
    taken.answer = answering(status)

    with pytest.raises(NotTaken, match=f"answered {status}"):
        await caller.call(taken.url)


@pytest.mark.parametrize("status", [429, 503, 500])
async def test_a_receiver_may_say_when_to_come_back(
    status: int, taken: Receiver, caller: Caller
) -> None:
    taken.answer = answering(status, Retry_After="120")

    with pytest.raises(Retry) as refused:
        await caller.call(taken.url)

    assert refused.value.after == 120


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("0", 0),
        ("7", 7),
        (" 7 ", 7),
        ("86401", 86400),
        ("9" * 400, 86400),
        ("Tue, 14 Nov 2023 22:14:20 GMT", 60),
        ("Tue, 14 Nov 2023 22:14:20", 60),
        ("Tue, 14 Nov 2023 22:00:00 GMT", 0),
        ("Tue, 14 Nov 3023 22:00:00 GMT", 86400),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        ("٣", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(said: str, seconds: float | None) -> None:
    assert retry_after(said, NOW) == seconds


async def test_what_is_expected_can_be_said(taken: Receiver, caller: Caller) -> None:
    taken.answer = answering(202)

    assert (await caller.call(taken.url, expect=202))["status"] == 202
    assert (await caller.call(taken.url, expect=[200, 202]))["status"] == 202
    with pytest.raises(NotTaken, match="answered 202"):
        await caller.call(taken.url, expect=[200, 201])


async def test_a_refusal_can_be_what_is_expected(taken: Receiver, caller: Caller) -> None:
    taken.answer = answering(404)

    assert (await caller.call(taken.url, expect=404))["status"] == 404


async def test_the_first_kib_is_kept_and_no_cookie(taken: Receiver, caller: Caller) -> None:
    taken.answer = answering(200, "x" * 5000, Set_Cookie="session=secret", X_Trace="t1")

    delivered = await caller.call(taken.url)

    assert delivered["body"] == "x" * 1024
    assert not delivered["whole"]
    assert delivered["headers"]["X-Trace"] == "t1"
    assert "secret" not in str(delivered)


async def test_bytes_that_are_no_text_can_be_kept(taken: Receiver, caller: Caller) -> None:
    taken.answer = lambda _: web.Response(body=b"\xff\x00\xfe")

    assert (await caller.call(taken.url))["body"] == "\ufffd\ufffd\ufffd"


# --- receivers that are not well -----------------------------------------------------------------


async def test_a_receiver_that_does_not_answer_is_given_up(taken: Receiver, caller: Caller) -> None:
    async def never(_: Call) -> web.Response:
        await asyncio.sleep(60)
        return web.Response()

    taken.answer = never

    with pytest.raises(Unreachable, match=r"no answer within 0.05 s"):
        await caller.call(taken.url, timeout=0.05)


async def test_nobody_there_is_no_answer_and_the_path_is_not_told(caller: Caller) -> None:
    async with receiver() as gone:
        url = gone.url

    with pytest.raises(Unreachable, match="no connection") as refused:
        await caller.call(f"{url}/T0KEN")

    assert "T0KEN" not in str(refused.value)


async def endless(writer: Any) -> None:
    """A body without an end."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n")
    while True:
        writer.write(b"x" * 65536)
        await writer.drain()


async def endless_chunks(writer: Any) -> None:
    """Chunks without an end."""
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"1000\r\n" + b"x" * 4096 + b"\r\n")
        await writer.drain()


async def dripping(writer: Any) -> None:
    """A body that comes byte by byte, and never whole."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    while True:
        writer.write(b"x")
        await asyncio.sleep(0.01)


async def broken_off(writer: Any) -> None:
    """A body that is shorter than it says."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nxx")
    await writer.drain()


@pytest.mark.parametrize("answer", [endless, endless_chunks, dripping, broken_off])
async def test_a_body_is_cut_and_the_status_counts(answer: Any, caller: Caller) -> None:
    async with raw(answer) as url:
        delivered = await caller.call(url, timeout=2)

    assert delivered["status"] == 200
    assert set(delivered["body"]) == {"x"}
    assert len(delivered["body"]) <= 1024
    assert not delivered["whole"]


async def test_a_bomb_is_not_unpacked(caller: Caller) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)

    async def answer(writer: Any) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n"
        writer.write(head.encode() + bomb)
        await writer.drain()

    async with raw(answer) as url:
        delivered = await caller.call(url)

    assert delivered["status"] == 200
    assert len(delivered["body"]) <= 1024


async def many_headers(writer: Any) -> None:
    """Ten thousand headers."""
    writer.write(b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(10_000)))
    await writer.drain()
    writer.write(b"\r\n")


async def long_header(writer: Any) -> None:
    """A header of a megabyte."""
    writer.write(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 1_000_000 + b"\r\n\r\n")
    await writer.drain()


async def no_http(writer: Any) -> None:
    """Something else altogether."""
    writer.write(b"SSH-2.0-OpenSSH_9.2p1\r\n")
    await writer.drain()


@pytest.mark.parametrize("answer", [many_headers, long_header, no_http])
async def test_an_answer_that_is_none_is_no_answer_and_the_path_is_not_told(
    answer: Any, caller: Caller
) -> None:
    async with raw(answer) as url:
        with pytest.raises(Unreachable, match="no answer") as refused:
            await caller.call(f"{url}/T0KEN?key=S3CRET", timeout=5)

    assert "T0KEN" not in str(refused.value)
    assert "S3CRET" not in str(refused.value)


async def test_who_is_cancelled_while_it_closes_closes_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = Client(parse_reach([]), Hosts(SystemClock(), SystemChance()))
    public = client._public
    monkeypatch.setattr(client, "_public", Mock(close=asyncio.Event().wait))
    closing = asyncio.create_task(client.close())
    await asyncio.sleep(0)

    closing.cancel()
    await asyncio.wait({closing})

    assert client._listed.closed
    await public.close()


async def test_nothing_is_sent_once_the_lease_is_in_doubt(taken: Receiver, caller: Caller) -> None:
    desk = Desk()
    desk.stop = True

    with pytest.raises(ClaimLost):
        await caller.call(taken.url, desk)

    assert taken.calls == []


# --- many calls ----------------------------------------------------------------------------------


async def test_a_host_gets_no_more_than_its_share_at_once(taken: Receiver, caller: Caller) -> None:
    now = most = 0

    async def count(_: Call) -> web.Response:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.005)
        now -= 1
        return web.Response()

    taken.answer = count

    await asyncio.gather(*(caller.call(taken.url) for _ in range(50)))

    assert len(taken.calls) == 50
    assert most == AT_ONCE


async def test_a_host_that_is_away_is_left_alone_at_first_for_free(caller: Caller) -> None:
    async with receiver() as gone:
        url = gone.url
    for _ in range(5):
        with pytest.raises(Unreachable):
            await caller.call(url)

    with pytest.raises(Snooze) as put_off:
        await caller.call(url)

    assert 29 < put_off.value.delay < 46


# --- payloads ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "payload",
    [
        {"method": "TRACE"},
        {"method": "post"},
        {"method": "GET / HTTP/1.1\r\nX: y"},
        {"headers": {"Host": "internal"}},
        {"headers": {"content-LENGTH": "0"}},
        {"headers": {"Transfer-Encoding": "chunked"}},
        {"headers": {"Webhook-Signature": "v1,forged"}},
        {"headers": {"X": "a\r\nHost: internal"}},
        {"headers": {"X": "a\nb"}},
        {"headers": {"X\r\nY": "a"}},
        {"headers": {"X Y": "a"}},
        {"headers": {"": "a"}},
        {"headers": {"X": "ü"}},
        {"headers": {"X": 1}},
        {"timeout": 0},
        {"timeout": -1},
        {"timeout": 301},
        {"timeout": 1e308},
        {"expect": "200"},
        {"proxy": "http://internal"},
    ],
)
def test_what_is_no_request_is_refused_when_it_is_enqueued(payload: dict[str, Any]) -> None:
    with pytest.raises(BadPayload):
        Caller().enqueue("https://hooks.example/", **payload)


# --- in a worker ---------------------------------------------------------------------------------


async def test_a_worker_calls_until_it_is_taken(sqlite_url: str, taken: Receiver) -> None:
    settings = Settings(store=sqlite_url, webhook_secrets=(SECRET,))
    taken.answer = lambda _: web.Response(status=200 if len(taken.calls) > 1 else 503)

    async with Windlass(settings=settings, builtins=True) as app, app.worker():
        enqueued = await app.enqueue(app.job_of("webhook", {"url": taken.url, "body": [1]}))
        job = await app.wait(enqueued.id)

    assert job.state is State.COMPLETED, job
    assert job.attempts == 2
    assert job.result["status"] == 200
    assert [call.headers["webhook-id"] for call in taken.calls] == [job.id] * 2


async def test_a_worker_of_a_fleet_does_not_call_its_own_machine(
    postgres_url: str, taken: Receiver
) -> None:
    async with Windlass(postgres_url, builtins=True) as app, app.worker():
        enqueued = await app.enqueue(app.job_of("webhook", {"url": taken.url}))
        job = await app.wait(enqueued.id)

    assert job.state is State.FAILED
    assert job.error is not None
    assert "WINDLASS_WEBHOOK_ALLOW" in job.error
    assert taken.calls == []
