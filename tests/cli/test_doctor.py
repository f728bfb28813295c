"""The checkup."""

import asyncio
import socket
import sqlite3
from contextlib import closing
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import psycopg
import pytest

from tests.app.hand import Hand
from tests.cli.standing import standing
from tests.cli.strangers import stranger
from tests.cli.terminal import Answer, Terminal
from windlass.cli.checkup import file, locks, server
from windlass.cli.checkup.finding import Verdict
from windlass.cli.server import connected
from windlass.config import Settings
from windlass.core.errors import StoreAway

SECRET = "hush-" * 3


def test_a_store_that_is_not_made_yet_is_healthy_and_stays_so(windlass: Terminal) -> None:
    answer = windlass("doctor", "--json")

    assert answer.code == 0
    assert answer.json["healthy"] is True
    assert "not made yet" in _found(answer, "store")["said"]
    assert not (windlass.folder / "windlass.db").exists()


async def test_a_store_with_a_worker_is_healthy(windlass: Terminal, hand: Hand) -> None:
    windlass.enqueued("greet")
    await hand.join("greet")

    answer = windlass("doctor", "--json", WINDLASS_PORT="0")

    verdicts = {found["check"]: found["verdict"] for found in answer.json["findings"]}
    assert set(verdicts.values()) == {"ok"}
    assert verdicts.keys() >= {"program", "settings", "store", "disk", "file modes", "tables"}


def test_jobs_without_a_worker_are_a_warning_with_advice(windlass: Terminal) -> None:
    windlass.enqueued("greet")

    answer = windlass("doctor")

    assert answer.code == 0
    assert "!  workers             none is alive; waiting: 1 job" in answer.out
    assert "→ windlass worker --app MODULE:APP" in answer.out


async def test_jobs_that_nobody_can_take_are_named(windlass: Terminal, hand: Hand) -> None:
    job_id = windlass.enqueued("unheard-of", "--queue", "mail")
    await hand.join("greet")

    found = _found(windlass("doctor", "--json"), "jobs that wait")

    assert found["verdict"] == "warning"
    assert found["said"] == "no live worker takes unheard-of in queue mail"
    assert job_id in found["advice"]


def test_a_paused_queue_is_a_warning(windlass: Terminal) -> None:
    windlass("pause", "mail")

    found = _found(windlass("doctor", "--json"), "queues")

    assert found["verdict"] == "warning"
    assert found["advice"].endswith("windlass resume mail")


def test_a_file_that_others_can_read_is_a_warning(windlass: Terminal) -> None:
    windlass.enqueued("greet")
    (windlass.folder / "windlass.db").chmod(0o644)

    found = _found(windlass("doctor", "--json"), "file modes")

    assert found["verdict"] == "warning"
    assert "windlass.db (-rw-r--r--)" in found["said"]


def test_a_file_that_is_no_database_is_a_problem(windlass: Terminal) -> None:
    (windlass.folder / "windlass.db").write_text("dear database " * 1000)

    answer = windlass("doctor", "--json")

    assert answer.code == 1
    assert answer.json["healthy"] is False
    assert "file is not a database" in _found(answer, "store")["said"]


def test_a_server_that_is_away_is_a_problem(windlass: Terminal) -> None:
    answer = windlass("doctor", "--store", "postgresql://nobody@127.0.0.1:1/nothing")

    assert answer.code == 1
    assert "✗  store" in answer.out
    assert "Traceback" not in answer.err


def test_a_database_that_is_not_there_is_a_problem(windlass: Terminal, postgres_url: str) -> None:
    nowhere = f"{postgres_url.rpartition('/')[0]}/nowhere"

    found = _found(windlass("doctor", "--json", "--store", nowhere), "store")

    assert found["verdict"] == "problem"
    assert 'database "nowhere" does not exist' in found["said"]
    assert found["advice"] == "make it with createdb, or correct its name in --store"


@pytest.mark.parametrize(
    ("cause", "step"),
    [
        (asyncpg.InvalidPasswordError("wrong"), "correct user or password in WINDLASS_STORE"),
        (asyncpg.CannotConnectNowError("starting"), "it starts, or stops: ask again in a moment"),
        (TimeoutError(), "see whether it hangs or a firewall is in between"),
        (ConnectionRefusedError(), "start it, or correct the address in WINDLASS_STORE"),
    ],
)
def test_what_to_do_about_a_server_depends_on_what_is_wrong(cause: Exception, step: str) -> None:
    away = StoreAway("cannot reach PostgreSQL")
    away.__cause__ = cause

    advised = server.advice(away, Settings(sources={"store": "WINDLASS_STORE"}))

    assert advised.startswith(step)


def test_a_role_without_rights_is_a_problem(windlass: Terminal, postgres_url: str) -> None:
    with stranger(postgres_url) as role:
        answer = windlass("doctor", "--json", "--store", role.url)

    found = _found(answer, "rights")
    assert answer.code == 1
    assert f"role {role.name} may not read and change windlass_" in found["said"]
    assert "member" in found["advice"]


def test_tables_of_a_newer_program_are_a_problem(windlass: Terminal) -> None:
    windlass.enqueued("greet")
    with closing(sqlite3.connect(windlass.folder / "windlass.db")) as connection, connection:
        connection.execute("insert into windlass_migrations values (9999, 'later', '', 0)")

    answer = windlass("doctor", "--json")

    assert answer.code == 1
    assert "at migration 9999 (later), made by a newer" in _found(answer, "tables")["said"]


def test_a_place_that_cannot_be_written_to_is_a_problem(windlass: Terminal) -> None:
    answer = windlass("doctor", "--json", "--store", "sqlite:///shop.py/windlass.db")

    assert answer.code == 1
    assert "this account may not write in" in _found(answer, "store")["said"]


def test_a_file_that_somebody_keeps_to_themselves_is_a_problem(windlass: Terminal) -> None:
    windlass.enqueued("greet")
    with closing(sqlite3.connect(windlass.folder / "windlass.db")) as connection:
        connection.execute("begin immediate")
        answer = windlass("doctor", "--json")

    assert answer.code == 1
    assert "database is locked" in _found(answer, "store")["said"]
    assert "end the program" in _found(answer, "store")["advice"]


def test_everything_that_is_set_wrong_is_told_at_once_and_no_secret(windlass: Terminal) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        answer = windlass(
            *("doctor", "--json"),
            WINDLASS_APP="nowhere:app",
            WINDLASS_SECRET=SECRET,
            WINDLASS_PORT=str(taken.getsockname()[1]),
            WINDLASS_SMTP_URL=f"http://ada:{SECRET}@mail.example.org",
            WINDLASS_REDIS=f"redis://:{SECRET}@127.0.0.1:1/0",
        )

    assert answer.code == 1
    assert "no module 'nowhere'" in _found(answer, "app")["said"]
    assert "needs 32 or more" in _found(answer, "access")["said"]
    assert "is taken" in _found(answer, "port")["said"]
    assert "is no mail server" in _found(answer, "mail")["said"]
    assert SECRET not in answer.out + answer.err


def test_an_app_that_goes_on_after_its_import_is_looked_at_all_the_same(windlass: Terminal) -> None:
    (windlass.folder / "chatty.py").write_text(
        "import atexit, threading\n"
        "from shop import app\n"
        "threading.Thread(target=threading.Event().wait).start()\n"
        "atexit.register(print, 'bye')\n"
    )

    answer = windlass("doctor", "--json", WINDLASS_APP="chatty:app")

    assert "chatty:app declares" in _found(answer, "app")["said"]
    assert _found(answer, "app")["verdict"] == "ok"


def test_an_open_door_and_a_mail_server_that_is_away_are_told(windlass: Terminal) -> None:
    answer = windlass(
        *("doctor", "--json"), WINDLASS_HOST="192.0.2.1", WINDLASS_SMTP_URL="smtp://127.0.0.1:1"
    )

    assert answer.code == 1
    assert "WINDLASS_SECRET" in _found(answer, "access")["said"]
    assert _found(answer, "mail")["verdict"] == "warning"
    assert "127.0.0.1:1 takes no mail of ours" in _found(answer, "mail")["said"]


async def test_a_windlass_that_listens_is_no_stranger(windlass: Terminal) -> None:
    async with standing(windlass, "serve") as server:
        port = str(urlsplit(server.url).port)

        answer = await asyncio.to_thread(windlass, "doctor", "--json", WINDLASS_PORT=port)

    assert _found(answer, "port")["said"] == f"a Windlass listens at 127.0.0.1:{port}"


def test_the_last_line_counts_what_is_wrong(windlass: Terminal) -> None:
    windlass.enqueued("greet")

    answer = windlass("doctor", WINDLASS_PORT="0")

    assert answer.out.splitlines()[-1] == "1 warning"


def test_a_redis_that_wants_another_password_is_a_warning(
    windlass: Terminal, redis_url: str
) -> None:
    wrong = redis_url.replace("://", "://ada:s3cret@")

    answer = windlass("doctor", "--json", WINDLASS_REDIS=wrong)

    assert _found(answer, "redis")["verdict"] == "warning"
    assert "correct address and password in WINDLASS_REDIS" in _found(answer, "redis")["advice"]
    assert "s3cret" not in answer.out


def test_a_redis_is_named_with_its_version_and_distance(windlass: Terminal, redis_url: str) -> None:
    found = _found(windlass("doctor", "--json", WINDLASS_REDIS=redis_url), "redis")

    assert found["verdict"] == "ok"
    assert "Valkey" in found["said"]
    assert "ms away" in found["said"]


def test_a_redis_that_is_away_is_a_warning_since_it_is_done_without(windlass: Terminal) -> None:
    answer = windlass("doctor", "--json", REDIS_URL="redis://:s3cret@127.0.0.1:1/0")

    assert answer.code == 0
    assert _found(answer, "redis")["verdict"] == "warning"
    assert "s3cret" not in answer.out


def test_no_redis_is_no_flaw(windlass: Terminal) -> None:
    answer = windlass("doctor", "--json", WINDLASS_REDIS="", REDIS_URL="")

    assert "none is set" in _found(answer, "redis")["said"]


def test_a_store_that_cannot_be_is_a_problem(windlass: Terminal) -> None:
    answer = windlass("doctor", "--store", "mysql://here", "--json")

    assert answer.code == 1
    assert _found(answer, "settings")["verdict"] == "problem"


def test_postgres_is_looked_at_from_all_sides(windlass_on_postgres: Terminal) -> None:
    answer = windlass_on_postgres("doctor", "--json")

    assert answer.code == 0
    checks = {found["check"] for found in answer.json["findings"]}
    assert checks >= {"store", "durability", "pooler", "clock", "vacuum", "connections", "tables"}
    assert _found(answer, "store")["said"].startswith("PostgreSQL 1")


def test_tables_that_are_missing_are_a_problem(windlass_on_postgres: Terminal) -> None:
    windlass_on_postgres("migrate", "down", "--to", "0", "--yes")

    answer = windlass_on_postgres("doctor", "--json")

    assert answer.code == 1
    assert _found(answer, "tables")["advice"] == "windlass migrate up"


def test_a_pooler_must_be_known(windlass: Terminal, pgbouncer_url: str) -> None:
    unknown = windlass("doctor", "--json", "--store", pgbouncer_url)
    known = windlass("doctor", "--json", "--store", pgbouncer_url, WINDLASS_PGBOUNCER="1")

    assert _found(unknown, "pooler")["advice"] == "set WINDLASS_PGBOUNCER=1"
    assert _found(known, "pooler")["verdict"] == "ok"


def test_commits_that_do_not_wait_are_a_problem(
    windlass_on_postgres: Terminal, postgres_url: str
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(f'alter database "{name}" set synchronous_commit = off'.encode())

    answer = windlass_on_postgres("doctor", "--json")

    assert answer.code == 1
    assert _found(answer, "synchronous_commit")["verdict"] == "problem"


async def test_a_long_transaction_is_named(postgres_url: str) -> None:
    with psycopg.connect(postgres_url, application_name="a report") as reporter:
        reporter.execute("create table held ()")

        async with connected(postgres_url) as connection:
            found = await server.vacuum(connection, timedelta(0))

    assert found.verdict is Verdict.WARNING
    assert "(a report, idle in transaction)" in found.said


async def test_whoever_has_locked_a_table_is_named(postgres_url: str) -> None:
    with psycopg.connect(postgres_url, application_name="a repair") as repair:
        repair.execute("lock table windlass_jobs in access exclusive mode")

        async with connected(postgres_url) as connection:
            [found] = await locks.examine(connection, "public", timedelta(0))

    assert found.verdict is Verdict.PROBLEM
    assert "(a repair, idle in transaction) has locked windlass_jobs" in found.said


def test_a_server_that_does_not_sync_is_a_problem_unless_that_is_wanted() -> None:
    facts = dict.fromkeys(("fsync", "full_page_writes", "synchronous_commit"), "off")
    careless = {**facts, "recovering": False}

    minded = list(server.durability(careless, Settings()))
    wanted = list(server.durability(careless, Settings(unsafe=True)))

    assert [found.verdict for found in minded] == ["problem", "warning", "problem"]
    assert [found.verdict for found in wanted] == ["warning", "warning", "problem"]


def test_a_standby_is_a_problem() -> None:
    facts = dict.fromkeys(("fsync", "full_page_writes", "synchronous_commit"), "on")

    [role, durable] = server.durability({**facts, "recovering": True}, Settings())

    assert (role.check, role.verdict) == ("role", Verdict.PROBLEM)
    assert durable.verdict is Verdict.OK


@pytest.mark.parametrize(
    ("free", "verdict"), [(2**40, "ok"), (2**29, "warning"), (2**20, "problem")]
)
def test_a_disk_that_runs_full_is_noticed(free: int, verdict: str) -> None:
    found = file.room(free)

    assert found.verdict == verdict


def _found(answer: Answer, check: str) -> dict[str, Any]:
    [found] = [found for found in answer.json["findings"] if found["check"] == check]
    return dict(found)
