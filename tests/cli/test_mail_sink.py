"""`windlass up --mail-sink`: a real server, a real worker, and mail that can be read."""

import json
import signal
from typing import Any

import pytest

from tests.cli.standing import Standing, standing
from tests.cli.terminal import Terminal, trimmed
from windlass import Windlass
from windlass.cli.api import teller
from windlass.cli.desk import Desk
from windlass.config import Settings

LETTER = {
    "to": ["Ada Lovelace <ada@example.org>"],
    "bcc": "eve@example.org",
    "subject": "Willkommen, Gräfin",
    "body": "Hello.\n.\n..and a dot.\n",
    "html": "<p>Hello.</p>",
    "attachments": [{"name": "notes.txt", "content": "SGVsbG8="}],
}
SENDS = """
import os, smtplib
from urllib.parse import urlsplit
from windlass import Windlass

app = Windlass()

@app.job
def greet(name: str) -> None:
    server = urlsplit(os.environ["WINDLASS_SMTP_URL"])
    with smtplib.SMTP(server.hostname, server.port) as mail:
        mail.sendmail("app@example.org", [name], f"Subject: Hi {name}\\r\\n\\r\\nHello")
"""


async def done(server: Standing, type_: str, payload: dict[str, Any]) -> dict[str, Any]:
    """A job of this type, once it is over."""
    _, accepted = await server.ask("POST", "/jobs", {"type": type_, "payload": payload})
    return await server.finished(accepted["id"])


async def test_mail_that_a_job_sends_lands_in_the_sink(windlass: Terminal) -> None:
    windlass.env["WINDLASS_SMTP_URL"] = "smtp://mail.invalid"
    async with standing(windlass, "up", "--mail-sink") as server:
        job = await done(server, "email", LETTER)
        _, listed = await server.ask("GET", "/mail")
        _, mail = await server.ask("GET", f"/mail/{listed[0]['id']}")
        _, raw = await server.ask("GET", f"/mail/{listed[0]['id']}/raw")
        cleared, _ = await server.ask("DELETE", "/mail")
        left = await server.ask("GET", "/mail")

    headers = {header["name"]: header["value"] for header in mail["headers"]}
    assert job["status"] == "completed", job
    assert [one["subject"] for one in listed] == [LETTER["subject"]]
    assert mail["recipients"] == ["ada@example.org", "eve@example.org"]
    assert headers["Message-ID"] == job["result"]["message_id"]
    assert (mail["text"], mail["html"]) == (LETTER["body"], "<p>Hello.</p>\n")
    assert mail["attachments"] == [
        {"name": "notes.txt", "media_type": "application/octet-stream", "size": 5}
    ]
    assert "eve@example.org" not in raw
    assert (cleared, left) == (204, (200, []))


async def test_programs_are_told_where_it_is_and_it_ends_well(windlass: Terminal) -> None:
    async with standing(windlass, "up", "--mail-sink") as server:
        told = json.loads((windlass.folder / "up.out").read_text())
        server.signal(signal.SIGTERM)
        code = await server.ended()

    assert told["smtp"].startswith("smtp://127.0.0.1:")
    assert told["mail"] == f"{told['url']}/mail"
    assert code == 0


async def test_mailers_of_the_users_own_may_use_it(windlass: Terminal) -> None:
    (windlass.folder / "shop.py").write_text(SENDS)

    async with standing(windlass, "up", "--mail-sink", "--app", "shop:app") as server:
        job = await done(server, "greet", {"name": "ada@example.org"})
        _, [mail] = await server.ask("GET", "/mail")

    assert job["status"] == "completed", job
    assert (mail["sender"], mail["subject"]) == ("app@example.org", "Hi ada@example.org")


async def test_without_it_there_is_no_mail_to_read(windlass: Terminal) -> None:
    async with standing(windlass, "up") as server:
        status, _ = await server.ask("GET", "/mail")
        job = await done(server, "email", LETTER)

    assert status == 404
    assert job["status"] == "failed"
    assert "WINDLASS_SMTP_URL" in job["error"]


def test_people_are_told_where_to_look(attended: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    tell = teller(attended, Windlass(builtins=True), Settings(), "smtp://127.0.0.1:2525")

    tell("http://127.0.0.1:8080")

    told = trimmed(capsys.readouterr().out)
    assert "mail sink  smtp://127.0.0.1:2525 takes all mail" in told
    assert "read it at http://127.0.0.1:8080/mail\n" in told
    assert '"type": "email"' in told
    assert "  curl http://127.0.0.1:8080/mail\n" in told
    assert max(map(len, told.splitlines())) < 100
