"""Bodies and questions made to break, stall or bloat whoever reads them (D7)."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from yarl import URL

from tests.attacks.fort import Fort, standing
from windlass import Windlass
from windlass.core.limits import MAX_PAGE
from windlass.http.access import Scope
from windlass.store.paging import Paging, Stretch
from windlass.store.records import Matching

DEEP = 100_000
# What Python hashes to one and the same number, unless it salts: all multiples of this.
MODULUS = 2**61 - 1
PASSWORD = "correct horse battery staple"  # noqa: S105 - for these tests only
NOBODY = "0190a3a2-0000-7000-8000-000000000000"


def anything(payload: bytes) -> bytes:
    """A job whose payload has this in it."""
    return b'{"type": "anything", "payload": {"what": ' + payload + b"}}"


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        (b"[" * DEEP + b"]" * DEEP, 400),
        (b'{"a":' * DEEP + b"1" + b"}" * DEEP, 400),
        (b"[" * 900 + b"]" * 900, 422),
        (b"[" * 65 + b"]" * 65, 422),
        (b"[" * 62 + b"]" * 62, 202),
        (b"[" + b"1," * 10_000 + b"1]", 202),
        (b"9007199254740993", 202),
        (b"18446744073709551616", 202),
        (b"9" * 400, 202),
        (b"9" * 5_000, 422),
        (b"-" + b"9" * 5_000, 422),
        (b"1e400", 422),
        (b"-1e400", 422),
        (b"1e-400", 202),
        (b"1" + b"0" * 400 + b".5", 422),
        (b"NaN", 400),
        (b"Infinity", 400),
        (b"-Infinity", 400),
        (b"0x10", 400),
        (b"01", 400),
        (b"+1", 400),
        (b".5", 400),
        (b"'a'", 400),
        (b"True", 400),
        (b"[1,]", 400),
        (b'"\x00"', 400),
        (b'"\n"', 400),
        (b'"\\u0000"', 422),
        (b'"\\\\u0000"', 202),
        (b'{"\\u0000": 1}', 422),
        (b'"\\ud800"', 400),
        (b'"\\udc00\\ud800"', 400),
        (b'"\\ud83d\\ude00"', 202),
        (b'"\xff"', 400),
        (b'"\xc0\xaf"', 400),
        (b'"\xed\xa0\x80"', 400),
        (b'"\xf4\x90\x80\x80"', 400),
        (b"1} garbage", 400),
        (b"/* */ 1", 400),
    ],
)
async def test_what_is_odd_json_is_kept_as_it_is_or_refused(
    fort: Fort, payload: bytes, status: int
) -> None:
    heard = await fort.ask("POST", "/jobs", anything(payload))

    assert heard.status == status, heard.body
    assert heard.headers["content-type"].endswith("json")


async def test_a_number_beyond_64_bits_comes_back_as_a_number(fort: Fort) -> None:
    job_id = await fort.submit(payload={"what": 2.0**64})

    heard = await fort.ask("GET", f"/jobs/{job_id}")

    assert heard.json["payload"] == {"what": 2.0**64}


async def test_of_a_key_that_is_there_twice_the_last_counts_for_everybody(fort: Fort) -> None:
    body = b'{"type": "nonsense", "type": "anything", "payload": {"what": 1}, "payload": {}}'

    heard = await fort.ask("POST", "/jobs", body)
    job = (await fort.ask("GET", f"/jobs/{heard.json['id']}")).json

    assert (job["type"], job["payload"]) == ("anything", {})


@pytest.mark.parametrize(
    "keys",
    [
        [f"{number:x}" for number in range(100_000)],
        [str(number * MODULUS) for number in range(1, 30_000)],
        ["a" * (number % 1000) + str(number) for number in range(1_500)],
    ],
)
async def test_keys_without_number_or_made_to_collide_are_read_at_once(
    fort: Fort, keys: list[str]
) -> None:
    body = {"type": "anything", "payload": {"what": dict.fromkeys(keys, 0)}}

    began = time.process_time()
    heard = await fort.ask("POST", "/jobs", body)

    assert heard.status == 202, heard.body
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("option", "status"),
    [
        ({"scheduled_at": "9999-12-31T23:59:59Z"}, 202),
        ({"scheduled_at": "9999-12-31T23:59:59-14:00"}, 422),
        ({"scheduled_at": "10000-01-01T00:00:00Z"}, 422),
        ({"scheduled_at": "0001-01-01T00:00:00Z"}, 202),
        ({"scheduled_at": "0001-01-01T00:00:00+14:00"}, 422),
        ({"scheduled_at": "0000-01-01T00:00:00Z"}, 422),
        ({"scheduled_at": "-0001-01-01T00:00:00Z"}, 422),
        ({"scheduled_at": "2030-06-30T23:59:60Z"}, 422),
        ({"scheduled_at": 1e308}, 422),
        ({"delay": 3e9}, 202),
        ({"delay": 1e308}, 422),
        ({"delay": 5e-324}, 202),
        ({"key_window": 1e308}, 422),
        ({"timeout": 1e308}, 422),
        ({"timeout": 1e-300}, 422),
        ({"max_attempts": 10**9}, 422),
        ({"max_attempts": 10**400}, 422),
        ({"max_attempts": True}, 422),
        ({"max_attempts": 1.0}, 422),
        ({"max_crashes": 10**9}, 422),
        ({"priority": 2**70}, 422),
        ({"thread_demand": 10**9}, 422),
        ({"backoff": {"base": 1e308}}, 422),
        ({"backoff": {"factor": 1e308}}, 422),
        ({"name": "x" * 201}, 422),
        ({"queue": "x" * 201}, 422),
        ({"idempotency_key": "x" * 201}, 422),
        ({"type": "x" * 10_000}, 422),
        ({"name": ["x"]}, 422),
        ({"__proto__": {"admin": True}}, 422),
        ({"constructor": 1}, 422),
    ],
)
async def test_extreme_options_are_kept_and_told_or_refused(
    fort: Fort, option: dict[str, object], status: int
) -> None:
    body = msgspec.json.encode({"type": "anything"})[:-1] + b"," + _members(option)

    heard = await fort.ask("POST", "/jobs", body)

    assert heard.status == status, heard.body
    if status == 202:
        place = heard.headers["location"]
        assert [(await fort.ask("GET", place + part)).status for part in ("", "/explain")] == [
            200,
            200,
        ]


def _members(option: dict[str, object]) -> bytes:
    [(name, value)] = option.items()
    # msgspec writes no number this large.
    told = str(value).encode() if type(value) is int else msgspec.json.encode(value)
    return b'"%b": %b}' % (name.encode(), told)


async def test_one_job_too_many_in_a_batch_keeps_none(fort: Fort) -> None:
    before = (await fort.ask("GET", "/stats")).json

    heard = await fort.ask("POST", "/jobs/batch", {"jobs": [{"type": "anything"}] * 10_001})

    assert heard.status == 422
    assert (await fort.ask("GET", "/stats")).json == before


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("limit=1000000000", 400),
        ("limit=1e9", 400),
        (f"limit={MAX_PAGE + 1}", 400),
        ("limit=-1", 400),
        ("limit=%2B5", 400),
        ("limit=0x10", 400),
        ("limit=1_0", 400),
        ("limit=%D9%A3", 400),
        ("limit=" + "9" * 5_000, 400),
        ("before=x", 400),
        ("before=%27%20or%201=1--", 400),
        (f"before={{{NOBODY}}}", 400),
        (f"before=urn:uuid:{NOBODY}", 400),
        ("before=00000000-0000-0000-0000-000000000000", 200),
        ("before=ffffffff-ffff-ffff-ffff-ffffffffffff", 200),
        ("before=ffffffff-ffff-ffff-ffff-ffffffffffff&error=x", 200),
        (f"before={NOBODY}&before={NOBODY}", 400),
        ("created_after=9999-12-31T23:59:59Z", 200),
        ("created_before=0001-01-01T00:00:00%2B14:00", 200),
        ("created_after=0001-01-01T00:00:00%2B14:00", 200),
        ("created_before=9999-12-31T23:59:59-14:00", 200),
        ("created_after=2026-01-01T00:00:00", 400),
        ("created_after=5", 400),
        ("offset=1000000", 400),
        ("sort=id;drop", 400),
        ("&".join(f"a{number}=1" for number in range(5_00)), 400),
        ("q=" + "a" * 1001, 400),
        ("q=" + "%22" * 999, 400),
        ("q=%22" + "%5C" * 998, 400),
        ("q=" + "a%20" * 250, 200),
        ("q=payload." + "0." * 20 + "0:1", 400),
        ("q=payload." + "a." * 100 + "a:1", 400),
        ("q=" + "%20".join(f"payload.a{number}:1" for number in range(30)), 400),
        ("q=payload.%D9%A3:1", 200),
        ("q=payload.99999999999999999999:1", 200),
        ("q=payload.4294967296.0:1", 200),
        ("q=payload.a:NaN", 200),
        ("q=payload.a:1e400", 200),
        ("q=payload.a:" + "9" * 900, 200),
        ("q=payload.a:%22%5Cu0000%22", 400),
        ("q=payload.a:%22%5Cud800%22", 400),
        ("q=age:%3E99999999999d", 400),
        ("q=age:%3E36525d", 200),
        ("q=created:9999-12-31", 200),
        ("q=created:0001-01-01", 200),
        ("q=created:%3C9999-12-31T23:59:59-14:00", 200),
        ("status=" + ",".join(["failed"] * 200), 400),
        ("status=failed,", 400),
    ],
)
async def test_a_question_made_to_cost_is_answered_or_refused_soon(
    fort: Fort, query: str, status: int
) -> None:
    began, cost = time.monotonic(), time.process_time()
    async with fort.client.get(URL(f"/jobs?{query}", encoded=True)) as answer:
        told = await answer.read()

    assert answer.status == status, told
    assert time.process_time() - cost < 1
    assert time.monotonic() - began < 10  # the database's part, on a busy machine


async def test_a_search_looks_for_half_a_second_and_says_how_far_it_came(fort: Fort) -> None:
    fat = [{"type": "anything", "payload": {"what": "x" * 20_000}}] * 800
    assert (await fort.ask("POST", "/jobs/batch", {"jobs": fat})).status == 202

    began = time.monotonic()
    query = " ".join(f"payload.what.{number}.0.1:1" for number in range(10))
    heard = await fort.ask("GET", str(URL("/jobs").with_query(q=query)))

    assert heard.status == 200
    assert time.monotonic() - began < 10


async def test_searches_take_turns_and_leave_the_store_to_others(
    fort: Fort, monkeypatch: pytest.MonkeyPatch
) -> None:
    search, running, most = Paging._search, 0, 0

    async def watched(self: Paging, asked: Stretch) -> Matching:
        nonlocal running, most
        running += 1
        most = max(most, running)
        try:
            return await search(self, asked)
        finally:
            running -= 1

    monkeypatch.setattr(Paging, "_search", watched)
    query = str(URL("/jobs").with_query(q="payload.what.0.1.2.3:nothing", limit="1000"))

    searching = [asyncio.create_task(fort.ask("GET", query)) for _ in range(8)]
    meanwhile = [(await fort.ask("GET", "/stats")).status for _ in range(20)]

    assert {(await search).status for search in searching} == {200}
    assert set(meanwhile) == {200}
    assert most == 1


@pytest.mark.parametrize(
    ("order", "status"),
    [
        ({"action": "delete", "filter": ""}, 422),
        ({"action": "drop", "filter": "type:none"}, 422),
        ({"action": "cancel", "filter": "payload." + "0." * 30 + "0:1"}, 400),
        ({"action": "cancel", "filter": "x" * 5_000}, 400),
        ({"action": "cancel", "filter": '"\x00"'}, 400),
        ({"action": "cancel", "filter": "'; drop table windlass_live_jobs; --"}, 202),
        ({"action": "cancel", "filter": "type:none", "rate": 1e308}, 422),
        ({"action": "cancel", "filter": "type:none", "rate": 0}, 422),
        ({"action": "cancel", "filter": "type:none", "rate": 1e-320}, 422),
        ({"action": "cancel", "filter": "type:none created:9999-12-31"}, 202),
    ],
)
async def test_a_bulk_order_made_to_break_is_refused_or_harmless(
    fort: Fort, order: dict[str, object], status: int
) -> None:
    heard = await fort.ask("POST", "/jobs/bulk", order)

    assert heard.status == status, heard.body


@pytest.fixture(scope="module")
async def elsewhere(shared: Fort) -> AsyncIterator[Fort]:
    """The service, and a worker that published a type of which the service has no code."""
    app = Windlass(shared.app.settings.store)

    @app.job(type="elsewhere")
    async def elsewhere(what: Any = None, number: int = 0, items: list[int] | None = None) -> None:
        """Take anything, or not."""

    async with app, app.worker():
        yield shared


@pytest.mark.parametrize("name", ["what", "number", "items"])
@pytest.mark.parametrize(
    "value",
    [
        b"18446744073709551616",
        b"9" * 400,
        b"-" + b"9" * 400,
        b"1e308",
        b"1e-400",
        b"[" * 60 + b"]" * 60,
        b"[" * 80 + b"]" * 80,
        b"[" + b"1," * 100_000 + b'"x"]',
        b'{"\\u0000": 1}',
        b'"' + b"a" * 900_000 + b'"',
    ],
)
async def test_what_a_published_type_refuses_is_told_in_few_words(
    elsewhere: Fort, fort: Fort, name: str, value: bytes
) -> None:
    body = b'{"type": "elsewhere", "payload": {"%b": %b}}' % (name.encode(), value)

    began = time.process_time()
    heard = await fort.ask("POST", "/jobs", body)

    assert heard.status in (202, 422), heard.body[:500]
    assert len(heard.body) < 2_000
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/auth/users", {"username": "a\x00", "password": PASSWORD}, 422),
        ("POST", "/auth/users", {"username": "'; drop", "password": PASSWORD}, 422),
        ("POST", "/auth/users", {"username": "a" * 65, "password": PASSWORD}, 422),
        ("POST", "/auth/users", {"username": "b", "password": "x" * 5_000}, 422),
        ("POST", "/auth/users", {"username": "b", "password": "\x00" * 20}, 422),
        ("POST", "/auth/users", {"username": "b", "password": PASSWORD, "scopes": ["root"]}, 422),
        ("POST", "/auth/tokens", {"subject": "a\nb"}, 422),
        ("POST", "/auth/tokens", {"subject": "x", "expires": "9" * 19 + "d"}, 422),
        ("POST", "/auth/tokens", {"subject": "x", "expires": "1e308s"}, 422),
        ("POST", "/auth/tokens", {"subject": "x", "expires": "0s"}, 422),
        ("DELETE", "/auth/tokens/%00", None, 422),
        ("DELETE", "/auth/tokens/%27%3B%20drop", None, 422),
        ("DELETE", "/auth/users/%00", None, 404),
        ("DELETE", "/auth/users/..%2f", None, 404),
        ("POST", "/auth/login", {"username": "\x00", "password": "x"}, 401),
        ("POST", "/auth/login", {"username": "' or 1=1 --", "password": "x"}, 401),
        ("POST", "/auth/refresh", {"refresh_token": "\x00" * 80}, 401),
        ("POST", "/auth/refresh", {"refresh_token": "'; drop"}, 401),
        ("POST", "/queues/%00/pause", None, 422),
        ("POST", "/queues/*/pause", None, 422),
        ("POST", "/queues/@x/resume", None, 422),
        ("POST", "/queues/%0a/pause", None, 422),
    ],
)
async def test_names_made_to_break_are_refused(
    guarded: Fort, method: str, path: str, body: object, status: int
) -> None:
    headers = {"Authorization": f"Bearer {guarded.token(Scope.ADMIN)}"}

    heard = await guarded.ask(method, path, body, headers)

    assert heard.status == status, heard.body
    assert guarded.broken() == []


@pytest.fixture(scope="module")
async def guarded(place: str) -> AsyncIterator[Fort]:
    """The same store behind a secret."""
    async with standing(place, secret="not-a-secret-but-long-enough-for-one") as fort:  # noqa: S106
        yield fort


async def test_a_body_that_is_told_as_another_is_one_body(fort: Fort) -> None:
    form = b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--x--\r\n"

    statuses = [
        (
            await fort.ask(
                "POST", "/jobs", form, {"Content-Type": "multipart/form-data; boundary=x"}
            )
        ),
        (await fort.ask("POST", "/jobs", b"\x80\x04.", {"Content-Type": "application/x-pickle"})),
        (await fort.ask("POST", "/jobs", b"type: x", {"Content-Type": "application/yaml"})),
        (await fort.ask("POST", "/jobs", b"<x/>", {"Content-Type": "application/xml"})),
        (await fort.ask("POST", "/jobs", b"\xef\xbb\xbf{}")),
        (await fort.ask("POST", "/jobs", '{"type": "anything"}'.encode("utf-16"))),
        (await fort.ask("POST", "/jobs", b"\x1f\x8b\x08", {"Content-Encoding": "gzip"})),
    ]

    assert [heard.status for heard in statuses] == [415, 415, 415, 415, 400, 400, 415]
