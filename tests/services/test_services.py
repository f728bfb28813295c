"""What tests may rely on: services keep their data over a restart and never outlive their owner."""

import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.services import PgBouncerServer, Postgres, PostgresServer, RedisServer, ServiceFailed
from tests.waiting import until

OWNER = """
from tests.services import RedisServer
with RedisServer() as server:
    print(server.folder, flush=True)
    input()
"""


def test_postgres_keeps_its_data_and_its_url_through_a_crash() -> None:
    with PostgresServer(settings={"max_connections": "20"}) as server:
        url = server.create_database()
        with psycopg.connect(url) as connection:
            connection.execute("create table kept as select 1 as one")

        server.stop("immediate")
        server.start()

        with psycopg.connect(url) as connection:
            assert connection.execute("select one from kept").fetchone() == (1,)
            assert connection.execute("show max_connections").fetchone() == ("20",)
            assert connection.execute("show fsync").fetchone() == ("on",)


def test_a_server_that_cannot_start_says_why_and_leaves_nothing() -> None:
    server = PostgresServer(settings={"shared_buffers": "many"})
    folder = server.folder

    with pytest.raises(ServiceFailed, match="shared_buffers"), server:
        pass

    assert not folder.exists()


def test_clients_of_pgbouncer_share_connections(postgres: Postgres) -> None:
    url = postgres.create_database()
    with PgBouncerServer(url) as pool:
        backends: set[object] = set()
        for _ in range(3):
            with psycopg.connect(pool.url, prepare_threshold=None) as connection:
                backends.add(connection.execute("select pg_backend_pid()").fetchone())

        pool.restart()

        with psycopg.connect(pool.url) as connection:
            assert connection.execute("select 1").fetchone() == (1,)
    postgres.drop_database(url)

    assert len(backends) == 1


async def test_a_killed_owner_leaves_nothing_behind() -> None:
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", OWNER],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as owner:
        assert owner.stdout is not None
        folder = Path(owner.stdout.readline().strip())
        assert folder.exists()

        owner.kill()

    await until(lambda: not folder.exists(), at_most=30)


def test_redis_comes_back_on_its_port() -> None:
    with RedisServer() as server:
        url = server.url
        server.restart()

        assert server.url == url
        assert server.ready()
