"""The layers around the API: what each lets pass, and what it answers instead."""

import asyncio

import pytest

from tests.http.layered import HOST, STALLED, Layered, ask
from windlass.config import Settings
from windlass.core.errors import BadInput
from windlass.http.access import Principal
from windlass.http.answer import Answer, Send, send
from windlass.http.middleware.hosts import names
from windlass.http.middleware.rates import MOST_PRINCIPALS, Rates
from windlass.http.request import Receive, Scope
from windlass.observe.events import RequestBroke, RequestServed

SECRET = "s" * 32


async def test_every_request_is_told_with_its_id_and_without_its_query() -> None:
    layered = Layered()

    reply = await layered.ask("POST", "/jobs?token=hush", body=[b"four"], content_length="4")

    [served] = layered.observer.of(RequestServed)
    assert (reply.status, reply.body) == (200, b"four")
    assert served.request_id == reply.headers["x-request-id"]
    assert (served.method, served.path, served.status) == ("POST", "/jobs", 200)
    assert (served.sent, served.client, served.principal) == (4, "127.0.0.1", None)
    assert "hush" not in repr(layered.observer.events)


async def test_whoever_is_known_is_told_by_name() -> None:
    async def known(scope: Scope, receive: Receive, send_: Send) -> None:
        scope["user"] = Principal("ada", frozenset(), "token")
        await send(Answer(), send_)

    layered = Layered(known)

    await layered.ask()

    assert layered.observer.of(RequestServed)[0].principal == "ada"


async def test_a_caller_may_name_its_request() -> None:
    reply = await Layered().ask(x_request_id="trace-1.a_B")

    assert reply.headers["x-request-id"] == "trace-1.a_B"


@pytest.mark.parametrize("name", ["", "a b", "a\tb", "x" * 65, "é", '"', "<img>", "a;b"])
async def test_but_not_by_what_could_do_harm_in_a_log(name: str) -> None:
    reply = await Layered().ask(x_request_id=name)

    assert reply.headers["x-request-id"] != name
    assert len(reply.headers["x-request-id"]) == 36


async def test_what_nobody_foresaw_is_told_to_the_log_and_not_to_the_caller() -> None:
    async def broken(scope: Scope, receive: Receive, send_: Send) -> None:
        raise RuntimeError("the hush-hush thing broke")

    layered = Layered(broken)

    reply = await layered.ask()

    [broke] = layered.observer.of(RequestBroke)
    [served] = layered.observer.of(RequestServed)
    assert (reply.status, reply.problem, served.status) == (500, "internal", 500)
    assert b"hush" not in reply.body
    assert b"Traceback" not in reply.body
    assert "RuntimeError: the hush-hush thing broke" in broke.error
    assert broke.request_id == reply.headers["x-request-id"]


async def test_an_answer_that_breaks_in_the_middle_is_cut() -> None:
    async def broken(scope: Scope, receive: Receive, send_: Send) -> None:
        await send_({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("half way")

    layered = Layered(broken)

    with pytest.raises(RuntimeError, match="half way"):
        await layered.ask()

    assert len(layered.observer.of(RequestBroke)) == 1


async def test_whoever_hangs_up_is_told_as_such() -> None:
    async def nobody(scope: Scope, receive: Receive, send_: Send) -> None:
        """Answer nothing."""

    layered = Layered(nobody)

    with pytest.raises(IndexError):
        await layered.ask()

    assert layered.observer.of(RequestServed)[0].status == 499


@pytest.mark.parametrize("path", ["/health", "/livez", "/readyz"])
async def test_while_it_stops_only_health_is_answered(path: str) -> None:
    layered = Layered()
    layered.drain.begin()

    refused, healthy = await layered.ask("POST", "/jobs"), await layered.ask("GET", path)

    assert (refused.status, refused.problem) == (503, "stopping")
    assert (refused.headers["retry-after"], refused.headers["connection"]) == ("1", "close")
    assert healthy.status == 200


async def test_a_request_that_was_taken_before_is_finished() -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(scope: Scope, receive: Receive, send_: Send) -> None:
        begun.set()
        await go_on.wait()
        await send(Answer(202), send_)

    layered = Layered(slow)
    asking = asyncio.create_task(layered.ask())
    await begun.wait()

    layered.drain.begin()
    go_on.set()

    assert (await asking).status == 202


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:9000", "127.0.0.1:1", "[::1]:80", "localhost.", "a.localhost"]
)
async def test_loopback_is_called_by_its_names_whatever_the_port(host: str) -> None:
    assert (await Layered().ask(host=host)).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil-localhost",
        "127.0.0.2",
        "10.0.0.1",
        "",
        "localhost@evil.example",
        "localhost/evil",
        "[::1",
        "é",
    ],
)
async def test_what_is_meant_for_another_name_is_misdirected(host: str) -> None:
    reply = await Layered().ask(host=host)

    assert (reply.status, reply.problem) == (421, "wrong-host")


@pytest.mark.parametrize(
    "headers", [[], [("host", HOST), ("host", "evil.example")], [("host", "x"), ("host", HOST)]]
)
async def test_a_request_needs_one_host(headers: list[tuple[str, str]]) -> None:
    reply = await ask(Layered().app, "GET", "/jobs", [], headers)

    assert (reply.status, reply.problem) == (400, "bad-host")


@pytest.mark.parametrize(
    ("settings", "welcome", "foreign"),
    [
        (Settings(), "localhost", "10.0.0.1"),
        (Settings(secret=SECRET), "localhost", "evil.example"),
        (Settings(hosts=("Jobs.Example.org",)), "jobs.example.org:80", "evil.example"),
        (Settings(host="10.0.0.1", open=True), "10.0.0.1:8080", "10.0.0.2"),
        (Settings(host="::", open=True), "[fe80::1]:8080", "evil.example"),
        (Settings(host="0.0.0.0", open=True), "10.0.0.1:8080", "evil.example"),  # noqa: S104
        (Settings(host="0.0.0.0", secret=SECRET, hosts=("a.b",)), "a.b", "c.d"),  # noqa: S104
    ],
)
def test_names_are_those_of_loopback_and_of_where_it_listens_and_those_configured(
    settings: Settings, welcome: str, foreign: str
) -> None:
    ours = names(settings)

    assert ours.include(welcome.encode())
    assert ours.include(b"localhost:8080")
    assert not ours.include(foreign.encode())


def test_with_a_secret_on_an_open_address_any_name_will_do() -> None:
    assert names(Settings(host="0.0.0.0", secret=SECRET)).include(b"api:8080")  # noqa: S104


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "https://127.0.0.1:8080.evil.example",
        "http://127.0.0.1:3000",
        "http://localhost:8080",
        "file://",
        "",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
async def test_a_page_of_somebody_else_may_not_ask(origin: str, method: str) -> None:
    reply = await Layered().ask(method, origin=origin)

    assert (reply.status, reply.problem) == (403, "foreign-origin")
    assert "access-control-allow-origin" not in reply.headers


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_our_own_pages_may(scheme: str) -> None:
    reply = await Layered().ask("POST", origin=f"{scheme}://{HOST}", sec_fetch_site="same-origin")

    assert reply.status == 200


@pytest.mark.parametrize(
    ("method", "site", "mode", "status"),
    [
        ("GET", "cross-site", "no-cors", 403),
        ("GET", "same-site", "no-cors", 403),
        ("POST", "cross-site", "navigate", 403),
        ("GET", "cross-site", "navigate", 200),
        ("GET", "none", "navigate", 200),
        ("GET", "same-origin", "cors", 200),
    ],
)
async def test_pages_of_others_may_link_here_and_nothing_more(
    method: str, site: str, mode: str, status: int
) -> None:
    reply = await Layered().ask(method, sec_fetch_site=site, sec_fetch_mode=mode)

    assert reply.status == status


async def test_a_configured_origin_may_read_answers_and_refusals() -> None:
    layered = Layered(origins=("https://shop.example.org",), body_limit=1024)

    reply = await layered.ask(origin="https://shop.example.org")
    refused = await layered.ask(
        "POST", origin="https://shop.example.org", content_length="2000", body=[b"x" * 2000]
    )

    assert (reply.status, refused.status) == (200, 413)
    for each in (reply, refused):
        assert each.headers["access-control-allow-origin"] == "https://shop.example.org"
        assert each.headers["vary"] == "origin"
        assert "access-control-allow-credentials" not in each.headers


async def test_a_configured_origin_is_told_beforehand_what_it_may_send() -> None:
    layered = Layered(origins=("https://shop.example.org",))

    reply = await layered.ask(
        "OPTIONS", origin="https://shop.example.org", access_control_request_method="POST"
    )
    foreign = await layered.ask("POST", origin="https://shop.example.org.evil.example")

    assert (reply.status, reply.body) == (204, b"")
    assert "POST" in reply.headers["access-control-allow-methods"]
    assert "authorization" in reply.headers["access-control-allow-headers"]
    assert foreign.status == 403


@pytest.mark.parametrize(
    ("told", "from_"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("6.6.6.6, 203.0.113.9", "203.0.113.9"),
        ("6.6.6.6, 203.0.113.9, 10.1.2.3", "203.0.113.9"),
        ("2001:db8::1", "2001:db8::1"),
        ("unknown", "127.0.0.1"),
        ("<script>", "127.0.0.1"),
        ("", "127.0.0.1"),
        ("10.0.0.1", "127.0.0.1"),
    ],
)
async def test_a_proxy_of_ours_is_believed(told: str, from_: str) -> None:
    layered = Layered(proxies=("127.0.0.1", "10.0.0.0/8"))

    await layered.ask(x_forwarded_for=told)

    assert layered.observer.of(RequestServed)[0].client == from_


async def test_a_proxy_of_ours_tells_whether_it_was_https() -> None:
    seen: list[str] = []

    async def look(scope: Scope, receive: Receive, send_: Send) -> None:
        seen.append(scope.get("scheme", "as it came"))
        await send(Answer(), send_)

    layered = Layered(look, proxies=("127.0.0.1",))
    for proto in ("https", "http", "gopher"):
        await layered.ask(x_forwarded_proto=proto)

    assert seen == ["https", "http", "as it came"]


async def test_nobody_else_is_believed() -> None:
    for layered in (Layered(), Layered(proxies=("10.0.0.0/8",))):
        await layered.ask(x_forwarded_for="203.0.113.9", x_forwarded_proto="https")

        assert layered.observer.of(RequestServed)[0].client == "127.0.0.1"


def test_a_network_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match="is no address and no network"):
        Layered(proxies=("1.2.3",))


async def test_data_is_nothing_but_data_and_is_kept_nowhere() -> None:
    reply = await Layered().ask()

    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert "content-security-policy" not in reply.headers
    assert "server" not in reply.headers


async def test_a_page_loads_only_what_is_ours_and_stands_in_no_frame() -> None:
    async def page(scope: Scope, receive: Receive, send_: Send) -> None:
        await send(Answer(body=b"<p>", media=b"text/html; charset=utf-8"), send_)

    reply = await Layered(page).ask()

    assert "default-src 'self'" in reply.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]
    assert reply.headers["x-frame-options"] == "DENY"


async def test_what_a_route_says_itself_counts() -> None:
    async def asset(scope: Scope, receive: Receive, send_: Send) -> None:
        await send(Answer(body=b"x", headers=((b"cache-control", b"max-age=60"),)), send_)

    reply = await Layered(asset).ask()

    assert reply.headers["cache-control"] == "max-age=60"
    assert reply.headers["x-content-type-options"] == "nosniff"


async def test_a_body_that_says_it_is_too_large_is_not_read() -> None:
    async def unread(scope: Scope, receive: Receive, send_: Send) -> None:
        raise AssertionError("it was let in")

    reply = await Layered(unread, body_limit=1024).ask("POST", content_length="1025")

    assert (reply.status, reply.problem) == (413, "too-large")


async def test_a_body_that_does_not_say_is_read_up_to_the_limit() -> None:
    layered = Layered(body_limit=1024)

    whole = await layered.ask("POST", transfer_encoding="chunked", body=[b"x" * 512] * 2)
    large = await layered.ask("POST", transfer_encoding="chunked", body=[b"x" * 512] * 3)

    assert (whole.status, len(whole.body)) == (200, 1024)
    assert (large.status, large.problem) == (413, "too-large")


async def test_a_batch_may_be_larger() -> None:
    layered = Layered(body_limit=1024, batch_limit=2048)

    taken = await layered.ask("POST", "/batch", content_length="2048", body=[b"x" * 2048])
    refused = await layered.ask("POST", "/batch", content_length="2049")

    assert (taken.status, refused.status) == (200, 413)


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "identity, gzip", "GZIP"])
async def test_a_packed_body_is_refused(encoding: str) -> None:
    reply = await Layered().ask(
        "POST", content_encoding=encoding, content_length="4", body=[b"\x1f\x8b\x08\x00"]
    )

    assert (reply.status, reply.problem) == (415, "packed-body")


async def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    layered = Layered()
    asking = asyncio.create_task(layered.ask("POST", body=[b"{", STALLED], content_length="9"))
    await asyncio.sleep(0)
    layered.clock.now += 10.1

    reply = await asking

    assert (reply.status, reply.problem) == (408, "slow-body")
    assert reply.headers["connection"] == "close"


async def test_a_large_body_that_comes_steadily_has_more_time() -> None:
    layered = Layered()
    pieces = [b"x" * 300_000, b"x" * 300_000, STALLED]
    asking = asyncio.create_task(layered.ask("POST", body=pieces, transfer_encoding="chunked"))
    await asyncio.sleep(0)
    layered.clock.now += 12
    await asyncio.sleep(0.3)  # longer than from sweep to sweep

    early = asking.done()
    layered.clock.now += 1

    assert not early
    assert (await asking).status == 408


async def test_a_request_that_takes_too_long_is_answered_and_cancelled() -> None:
    cancelled = asyncio.Event()

    async def stuck(scope: Scope, receive: Receive, send_: Send) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    layered = Layered(stuck)
    asking = asyncio.create_task(layered.ask("POST"))
    await asyncio.sleep(0)
    layered.clock.now += 31

    reply = await asking

    assert (reply.status, reply.problem) == (503, "timeout")
    assert reply.headers["retry-after"] == "1"
    assert cancelled.is_set()
    assert asking.cancelling() == 0


async def test_an_answer_that_has_begun_may_go_on_for_ever() -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def stream(scope: Scope, receive: Receive, send_: Send) -> None:
        await send_({"type": "http.response.start", "status": 200, "headers": []})
        begun.set()
        await go_on.wait()
        await send_({"type": "http.response.body", "body": b"end"})

    layered = Layered(stream)
    asking = asyncio.create_task(layered.ask())
    await begun.wait()
    layered.clock.now += 3600
    await asyncio.sleep(0.3)  # longer than from sweep to sweep

    go_on.set()

    assert (await asking).body == b"end"


async def test_a_cancelled_request_stays_cancelled() -> None:
    begun = asyncio.Event()

    async def stuck(scope: Scope, receive: Receive, send_: Send) -> None:
        begun.set()
        await asyncio.Event().wait()

    asking = asyncio.create_task(Layered(stuck).ask())
    await begun.wait()
    asking.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_who_asks_too_often_is_told_when_to_come_back() -> None:
    layered = Layered(rate=2)

    replies = [await layered.ask() for _ in range(5)]
    layered.clock.now += 0.5
    later = await layered.ask()

    assert [reply.status for reply in replies] == [200, 200, 200, 200, 429]
    assert replies[-1].problem == "too-often"
    assert replies[-1].headers["retry-after"] == "1"
    assert later.status == 200


async def test_health_is_told_however_often() -> None:
    layered = Layered(rate=1)

    replies = [await layered.ask(path="/readyz") for _ in range(9)]

    assert {reply.status for reply in replies} == {200}


async def test_each_has_a_rate_of_its_own() -> None:
    rates = Rates(Layered().clock, 1)

    waits = [rates.wait("ada"), rates.wait("ada"), rates.wait("ada"), rates.wait("bob")]

    assert waits == [0, 0, 1, 0]


async def test_the_memory_for_rates_is_bounded_and_forgets_the_quiet_first() -> None:
    clock = Layered().clock
    rates = Rates(clock, 1)
    for number in range(MOST_PRINCIPALS):
        rates.wait(f"quiet {number}")
    clock.now += 60
    for _ in range(2):
        rates.wait("busy")

    assert len(rates._quiet_at) == 1
    assert rates.wait("busy") == 1


async def test_a_flood_of_principals_stays_within_bounds() -> None:
    rates = Rates(Layered().clock, 1)

    for number in range(MOST_PRINCIPALS + 50):
        rates.wait(f"address {number}")

    assert len(rates._quiet_at) == MOST_PRINCIPALS


async def test_refusals_tell_the_head_of_an_answer_only_to_who_asks_for_it() -> None:
    reply = await Layered().ask("HEAD", host="evil.example")

    assert (reply.status, reply.body) == (421, b"")
    assert int(reply.headers["content-length"]) > 0
