"""The checkup."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.app.hand import Hand
from tests.cli.terminal import Answer, Terminal
from windlass.cli.checkup import file, server
from windlass.cli.checkup.finding import Verdict
from windlass.cli.server import connected
from windlass.config import Settings


def test_a_store_that_is_not_made_yet_is_healthy_and_stays_so(windlass: Terminal) -> None:
    answer = windlass("doctor", "--json")

    assert answer.code == 0
    assert answer.json["healthy"] is True
    assert "not made yet" in _found(answer, "store")["said"]
    assert not (windlass.folder / "windlass.db").exists()


async def test_a_store_with_a_worker_is_healthy(windlass: Terminal, hand: Hand) -> None:
    windlass.enqueued("greet")
    await hand.join("greet")

    answer = windlass("doctor", "--json")

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
