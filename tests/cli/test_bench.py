"""The quick self-measurement."""

import signal
import subprocess
from pathlib import Path

import psycopg
import pytest

from tests.cli.terminal import WINDLASS, Terminal
from tests.waiting import until


def test_bench_measures_and_leaves_nothing_behind(windlass: Terminal) -> None:
    before = _files(windlass.folder)

    answer = windlass("bench", "--jobs", "1500", "--json")

    assert answer.code == 0
    assert (answer.json["store"], answer.json["jobs"]) == ("sqlite", 1500)
    assert answer.json["enqueued_per_second"] > 0
    assert answer.json["drained_per_second"] > 0
    assert 0 < answer.json["pick_up_p50_ms"] <= answer.json["pick_up_p99_ms"]
    assert _files(windlass.folder) == before


def test_bench_shows_a_person_a_table(windlass: Terminal) -> None:
    answer = windlass("bench", "--jobs", "100", WINDLASS_QUEUES="mail")

    assert answer.code == 0
    titles = answer.out.splitlines()[0]
    assert titles.startswith("100 jobs that do nothing, on sqlite")
    assert "pick-up, median" in answer.out


@pytest.mark.timeout(120)
async def test_bench_leaves_nothing_behind_when_it_is_stopped(windlass: Terminal) -> None:
    before = _files(windlass.folder)
    # As in the background of a script, where Ctrl-C is for others.
    bench = subprocess.Popen(
        ["/bin/sh", "-c", 'trap "" INT; exec "$0" "$@"', WINDLASS, "bench", "--jobs", "1000000"],
        cwd=windlass.folder,
        env=windlass.env,
    )

    try:
        await until(lambda: _files(windlass.folder) != before, at_most=50)
        bench.send_signal(signal.SIGTERM)
        code = bench.wait(timeout=50)
    finally:
        bench.kill()
        bench.wait()

    assert code == 130
    assert _files(windlass.folder) == before


def test_bench_on_postgres_has_a_schema_of_its_own(
    windlass_on_postgres: Terminal, postgres_url: str
) -> None:
    answer = windlass_on_postgres("bench", "--jobs", "100", "--json")

    assert answer.code == 0
    assert answer.json["store"] == "postgres"
    with psycopg.connect(postgres_url) as connection:
        schemas = connection.execute("select from pg_namespace where nspname like '%bench%'")
        assert schemas.fetchall() == []
        assert connection.execute("select count(*) from windlass_every_job").fetchone() == (0,)


def test_bench_on_a_server_that_is_away_says_so(windlass: Terminal) -> None:
    answer = windlass("bench", "--store", "postgresql://nobody@127.0.0.1:1/nothing")

    assert answer.code == 3
    assert "Traceback" not in answer.err


def _files(folder: Path) -> set[Path]:
    return set(folder.rglob("*")) - set(folder.rglob("__pycache__/**"))
