"""Secrets that sing when they are told: looked for wherever anything is written (D9, I21)."""

import asyncio
import base64
import json
import signal
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from tests.attacks.fort import Fort, standing
from tests.cli.standing import Standing
from tests.cli.standing import standing as started
from tests.cli.terminal import Terminal
from tests.services import Postgres
from windlass.clock import SystemChance, SystemClock
from windlass.http.access import Scope
from windlass.http.secret import Secret
from windlass.http.tokens import Mint

SECRET = "canary0-signs-the-tokens-of-this-service"  # noqa: S105 - to be looked for
PASSWORD = "canary1 correct horse battery"  # noqa: S105
WRONG = "canary2 wrong horse battery"
DATABASE = "canary3-database"
MAIL = "canary4-mail"
HOOK = "whsec_" + base64.b64encode(b"canary5-signs-what-webhooks-bring").decode()
OF_USERS = "canary6-of-a-user"  # in payloads it may be: nowhere else
BAD_TOKEN = "canary7-is-no-token"  # noqa: S105
COOKIE = "canary8-is-no-session"
QUERY = "canary9-in-a-query"
BASIC = base64.b64encode(b"ada:canary10-basic").decode()

LEAKY = f"""
from windlass import Context, Windlass

app = Windlass(builtins=True)


@app.job(max_attempts=1)
async def leaky(token: str, ctx: Context) -> None:
    ctx.log("postgres://u:{DATABASE}@h/d is asked with {HOOK}")
    ctx.progress(0.5, "postgres://u:{DATABASE}@h/d")
    raise RuntimeError(f"postgres://u:{DATABASE}@h/d did not take Bearer {{token}}")
"""


@dataclass
class Cage:
    """All canaries, and everything that was told by anybody."""

    canaries: set[str] = field(
        default_factory=lambda: {
            *(SECRET, PASSWORD, WRONG, DATABASE, MAIL, HOOK.removeprefix("whsec_"), OF_USERS),
            *(BAD_TOKEN, COOKIE, QUERY, BASIC),
        }
    )
    told: dict[str, str] = field(default_factory=dict)

    def sang(self) -> list[tuple[str, str]]:
        """Which canary was heard where."""
        return [
            (place, canary)
            for place, text in self.told.items()
            for canary in self.canaries
            if canary in text
        ]


class Visitor:
    """Asks the service, and keeps what it answers; what it is given for itself are canaries."""

    def __init__(self, server: Standing, cage: Cage) -> None:
        self._server = server
        self._cage = cage

    async def ask(
        self, method: str, path: str, body: object = None, *, given: bool = False, **headers: str
    ) -> tuple[int, Any]:
        """One request; `given` says that the answer is a secret of the visitor's own."""
        async with self._server.client.request(
            method, f"{self._server.url}{path}", json=body, headers=headers
        ) as answer:
            text = (await answer.read()).decode()
        if not given:
            place = f"{method} {path} {len(self._cage.told)}"
            self._cage.told[place] = f"{answer.headers}\n{text}"
        else:
            self._cage.canaries |= {
                cookie.value for cookie in answer.cookies.values() if cookie.value
            }
        return answer.status, json.loads(text) if "json" in answer.content_type else text


@pytest.fixture(params=["sqlite", "postgres"])
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Terminal:
    """A shell whose store has a password in its URL, where stores have one."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    if request.param == "postgres":
        where = urlsplit(url)
        url = where._replace(netloc=f"postgres:{DATABASE}@{where.hostname}:{where.port}").geturl()
    terminal = Terminal(tmp_path, url)
    (tmp_path / "leaky.py").write_text(LEAKY)
    terminal.env |= {
        "WINDLASS_SECRET": SECRET,
        "WINDLASS_SMTP_URL": f"smtps://mailer:{MAIL}@127.0.0.1:9",
        "WINDLASS_WEBHOOK_SECRETS": HOOK,
        "WINDLASS_LOG": "debug",
        "PYTHONPATH": str(tmp_path),
    }
    return terminal


@pytest.mark.timeout(120)
async def test_no_secret_is_told_by_a_service_at_work(terminal: Terminal) -> None:
    cage = Cage()
    added = terminal(
        "user", "add", "ada", "--scope", "admin", "--password-stdin", stdin=f"{PASSWORD}\n"
    )
    assert added.code == 0, added

    async with started(terminal, "up", "--app", "leaky:app", workers=1) as server:
        await visited(Visitor(server, cage), cage)
        cage.told["processes"] = "\n".join(
            " ".join(process.cmdline()) for process in server.family()
        )
        server.signal(signal.SIGTERM)
        await server.ended()
    for name in ("out", "err"):
        cage.told[f"up.{name}"] = (terminal.folder / f"up.{name}").read_text()
    for words in (["doctor"], ["user", "list"]):
        said = terminal(*words)
        cage.told[" ".join(words)] = said.out + said.err
    cage.told |= dict(stored(terminal.env["WINDLASS_STORE"]))

    assert cage.sang() == []
    assert len(cage.canaries) >= 16
    assert "attempt failed" in cage.told["up.err"]
    assert "request served" in cage.told["up.err"]


async def visited(visitor: Visitor, cage: Cage) -> None:
    """Every way in, the good ones and the bad ones, and jobs that fail with secrets in hand."""
    login = {"username": "ada", "password": PASSWORD}
    status, pair = await visitor.ask("POST", "/auth/login", login, given=True)
    assert status == 200
    status, session = await visitor.ask(
        "POST", "/auth/login", {**login, "session": True}, given=True
    )
    assert status == 200
    status, renewed = await visitor.ask(
        "POST", "/auth/refresh", {"refresh_token": pair["refresh_token"]}, given=True
    )
    assert status == 200
    good = f"Bearer {renewed['access_token']}"
    status, minted = await visitor.ask(
        "POST", "/auth/tokens", {"subject": "robot"}, given=True, Authorization=good
    )
    assert status == 201
    secrets = (pair, renewed, minted)
    cage.canaries |= {each["access_token"] for each in secrets} | {session["csrf_token"]}
    cage.canaries |= {each["refresh_token"].partition(".")[2] for each in secrets[:2]}

    refused = [
        await visitor.ask("POST", "/auth/login", {**login, "password": WRONG}),
        await visitor.ask("POST", "/auth/login", {**login, "password": [WRONG]}),
        await visitor.ask("POST", "/auth/login", {**login, "sesion": True}),
        await visitor.ask("GET", "/jobs", Authorization=f"Bearer {BAD_TOKEN}"),
        await visitor.ask("GET", "/jobs", Authorization=f"{good}x"),
        await visitor.ask("GET", "/jobs", Authorization=f"Basic {BASIC}"),
        await visitor.ask("GET", "/jobs", Cookie=f"windlass-session={COOKIE}"),
        await visitor.ask("GET", f"/jobs?access_token={QUERY}", Authorization=good),
        await visitor.ask("GET", f"/jobs?access_token={renewed['access_token']}"),
        await visitor.ask("POST", "/jobs", {"type": "x", "secret": WRONG}, Authorization=good),
        await visitor.ask(
            "POST", "/auth/users", {"username": "bob", "password": PASSWORD[:7]}, Authorization=good
        ),
        await visitor.ask("POST", "/auth/users", {**login, "scopes": []}, Authorization=good),
        await visitor.ask("POST", "/auth/logout", Cookie=f"windlass-session={COOKIE}"),
    ]
    assert {status for status, _ in refused} <= {400, 401, 403, 409, 422}

    token = f"Bearer {OF_USERS}"
    jobs = [
        {"type": "leaky", "payload": {"token": minted["access_token"]}},
        {
            "type": "webhook",
            "payload": {
                "url": "http://127.0.0.1:9/",
                "headers": {"Authorization": token, "Cookie": OF_USERS, "X-Api-Key": OF_USERS},
            },
            "max_attempts": 1,
        },
        {
            "type": "email",
            "payload": {"to": "ada@example.org", "subject": "x", "text": "y"},
            "max_attempts": 1,
        },
        {"type": "webhook", "payload": {"url": 5, "headers": {"Authorization": token}}},
    ]
    for job in jobs:
        status, kept = await visitor.ask("POST", "/jobs", job, Authorization=good)
        if status == 202:
            await over(visitor, kept["id"], good)
    places = ("/jobs/none", "/metrics", "/openapi.json", "/workers", "/types", "/auth/users")
    for path in (*places, "/stats", "/queues", "/readyz", "/docs", "/auth/me"):
        await visitor.ask("GET", path, Authorization=good)

    # Used a second time, it ends the login that it was given to.
    again = {"refresh_token": pair["refresh_token"]}
    assert (await visitor.ask("POST", "/auth/refresh", again))[0] == 401
    assert (await visitor.ask("GET", "/jobs", Authorization=good))[0] == 401


async def over(visitor: Visitor, job_id: str, good: str) -> None:
    """Wait for the end of a job, and read all that is told of it but its own payload."""
    job: dict[str, Any] = {}
    for _ in range(2_000):
        _, job = await visitor.ask("GET", f"/jobs/{job_id}", given=True, Authorization=good)
        if job["completed_at"]:
            break
        await asyncio.sleep(0.02)
    assert job["status"] == "failed", job
    visitor._cage.told[f"job {job_id}"] = json.dumps({**job, "payload": None})
    for path in ("attempts", "logs", "explain"):
        await visitor.ask("GET", f"/jobs/{job_id}/{path}", Authorization=good)


def stored(url: str) -> Iterator[tuple[str, str]]:
    """Every table as text, without the payloads: those are what somebody wanted kept."""
    if url.startswith("sqlite"):
        yield from _of_sqlite(url.removeprefix("sqlite:///"))
    else:
        yield from _of_postgres(url)


def _of_sqlite(path: str) -> Iterator[tuple[str, str]]:
    with sqlite3.connect(path) as connection:
        tables = [
            name
            for (name,) in connection.execute("select name from sqlite_master where type = 'table'")
        ]
        for table in tables:
            cursor = connection.execute(f'select * from "{table}"')  # noqa: S608 - our own
            names = [column[0] for column in cursor.description]
            rows = [dict(zip(names, row, strict=True)) for row in cursor]
            yield f"table {table}", _without_payload(rows)


def _of_postgres(url: str) -> Iterator[tuple[str, str]]:
    with psycopg.connect(url, row_factory=psycopg.rows.dict_row) as connection:
        tables = connection.execute(
            "select tablename as name from pg_tables where schemaname = 'public'"
        ).fetchall()
        for table in tables:
            rows = connection.execute(
                sql.SQL("select * from {}").format(sql.Identifier(table["name"]))
            ).fetchall()
            yield f"table {table['name']}", _without_payload(rows)


def _without_payload(rows: list[dict[str, Any]]) -> str:
    return "\n".join(
        str({name: value for name, value in row.items() if name != "payload"}) for row in rows
    )


@pytest.mark.parametrize(
    ("word", "settings"),
    [
        ("serve", {"WINDLASS_STORE": f"postgresql://u:{DATABASE}@127.0.0.1:1/x"}),
        ("doctor", {"WINDLASS_STORE": f"postgresql://u:{DATABASE}@127.0.0.1:1/x"}),
        ("stats", {"WINDLASS_STORE": f"postgresql://u:{DATABASE}@127.0.0.1:no/x"}),
        ("worker", {"WINDLASS_STORE": f"mysql://u:{DATABASE}@127.0.0.1/x"}),
        ("up", {"WINDLASS_SECRET": "canary0"}),
        ("up", {"WINDLASS_SMTP_URL": f"http://u:{MAIL}@127.0.0.1"}),
        ("up", {"WINDLASS_WEBHOOK_SECRETS": "canary5,,x=canary5"}),
    ],
)
def test_no_secret_is_told_by_a_command_that_cannot_start(
    tmp_path: Path, word: str, settings: dict[str, str]
) -> None:
    terminal = Terminal(tmp_path, "sqlite:///./windlass.db")

    said = terminal(word, **{"WINDLASS_PORT": "0", **settings})

    assert said.code != 0
    assert "canary" not in said.out + said.err
    assert "Traceback" not in said.err


async def test_no_secret_is_told_when_the_database_is_away(
    postgres: Postgres, postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    where = urlsplit(postgres_url)
    url = where._replace(netloc=f"postgres:{DATABASE}@{where.hostname}:{where.port}").geturl()

    async with standing(url, secret=SECRET) as fort:
        headers = {"Authorization": f"Bearer {fort.token(Scope.ADMIN)}"}
        assert (await fort.ask("GET", "/jobs", None, headers)).status == 200
        postgres.drop_database(url)
        heard = [
            await fort.ask("GET", path, None, headers)
            for path in ("/jobs", "/stats", "/queues", "/metrics", "/readyz", "/auth/users")
        ]
        heard.append(await fort.ask("POST", "/jobs", {"type": "anything"}, headers))
        login = {"username": "ada", "password": PASSWORD}
        heard.append(await fort.ask("POST", "/auth/login", login))

    told = fort.log.getvalue() + str(fort.recorder.events) + str(heard)
    assert {each.status for each in heard} == {503, 200}
    assert [
        each for each in (DATABASE, SECRET, PASSWORD, headers["Authorization"][7:]) if each in told
    ] == []
    assert "Traceback" not in str(heard)
    assert where.path.removeprefix("/") not in str(heard)
    assert fort.broken() == []


async def test_what_breaks_is_told_to_the_log_without_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with standing(f"sqlite:///{tmp_path / 'windlass.db'}", secret=SECRET) as fort:
        token = fort.token(Scope.ADMIN)

        async def broken() -> None:
            raise RuntimeError(
                f"postgres://u:{DATABASE}@h/d?password={WRONG} did not take"
                f" {{'Authorization': 'Bearer {BAD_TOKEN}'}}, {token}, {HOOK}"
            )

        monkeypatch.setattr(fort.app, "stats", broken)
        headers = {"Authorization": f"Bearer {token}", "Cookie": f"windlass-session={COOKIE}"}
        heard = await fort.ask("GET", f"/stats?x={QUERY}", None, headers)

    log = fort.log.getvalue()
    secrets = [SECRET, DATABASE, WRONG.partition(" ")[0], BAD_TOKEN, COOKIE, QUERY, token, HOOK]
    assert (heard.status, heard.problem) == (500, "internal")
    assert "RuntimeError: postgres://u:***@h/d?password=***" in log
    assert [each for each in secrets if each in log + str(heard)] == []
    assert b"Traceback" not in heard.body
    assert b"RuntimeError" not in heard.body


async def test_nothing_shows_a_secret_when_it_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings: dict[str, Any] = {
        "secret": SECRET,
        "smtp_url": f"smtps://mailer:{MAIL}@127.0.0.1:9",
        "webhook_secrets": (HOOK,),
    }
    async with standing(f"sqlite:///{tmp_path / 'windlass.db'}", **settings) as fort:
        await fort.service.accounts.add("ada", PASSWORD, [Scope.ADMIN])
        login = {"username": "ada", "password": PASSWORD}
        tokens = (await fort.ask("POST", "/auth/login", login)).json
        session = await fort.ask("POST", "/auth/login", {**login, "session": True})
        cookie = session.headers["set-cookie"].partition("=")[2].partition(";")[0]
        await fort.ask("GET", "/jobs", None, {"Authorization": f"Bearer {tokens['access_token']}"})

        secrets = [SECRET, PASSWORD, MAIL, HOOK, tokens["access_token"], cookie]
        shown = [
            (type(each).__qualname__, secret)
            for each in _ours(fort)
            for secret in (*secrets, tokens["refresh_token"].partition(".")[2])
            if secret in repr(each)
        ]

    minted = Mint(Secret(SECRET), SystemClock(), SystemChance()).make(
        "ada", frozenset(Scope), timedelta(minutes=1)
    )
    assert shown == []
    assert minted.token not in repr(minted)


def _ours(fort: Fort) -> Iterator[object]:
    """Everything of ours that can be reached from the service."""
    seen: set[int] = set()
    waiting: list[object] = [fort.service]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if type(one).__module__.startswith("windlass."):
            yield one
            waiting += [
                value
                for kind in type(one).__mro__
                for name in getattr(kind, "__slots__", ())
                if (value := getattr(one, name, None)) is not None
            ]
            waiting += list(getattr(one, "__dict__", {}).values())
        elif isinstance(one, dict):
            waiting += list(one.values())
        elif isinstance(one, list | tuple | set | frozenset):
            waiting += list(one)
