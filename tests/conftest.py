"""Fixtures that every test may ask for: real services, a database of its own, either store."""

import asyncio
import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import hypothesis
import psycopg
import pytest
import redis
from xdist.workermanage import WorkerController

from tests.order import dealt, is_long, shares
from tests.services import PgBouncerServer, Postgres, ServiceFailed
from tests.services.scratch import work_in_memory
from tests.services.shared import SharedServices

SERVICES = pytest.StashKey[SharedServices]()


def prepare_template(url: str) -> None:
    """Bring an empty database to the schema that tests expect."""
    from windlass.wiring import migrate  # noqa: PLC0415 - only tests with a database pay for it

    asyncio.run(migrate(url))


def pytest_configure(config: pytest.Config) -> None:
    """Know the services: a worker of xdist is told where they are, anyone else starts them."""
    gc.disable()  # until all tests are read: nothing of that is garbage
    work_in_memory()
    # The same examples in every run, and as much time for each as a busy machine needs;
    # `--hypothesis-profile=default` looks for others.
    hypothesis.settings.register_profile("steady", deadline=None, derandomize=True)
    hypothesis.settings.load_profile("steady")
    config.stash[SERVICES] = SharedServices(getattr(config, "workerinput", {}).get("services"))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deal long tests to all processes; one alone runs tests in the order they are written in."""
    processes = getattr(config, "workerinput", {}).get("workercount", 1)
    if processes > 1:
        usual = float(config.getini("timeout"))
        long = [item for item in items if is_long(item, usual)]
        short = [item for item in items if not is_long(item, usual)]
        items[:] = dealt(sorted(short, key=lambda item: not shares(item)), long, processes)


def pytest_collection_finish() -> None:
    """Look for garbage from now on, and only among what tests make."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerController) -> None:
    """Tell a worker of xdist where the services are."""
    try:
        node.workerinput["services"] = node.config.stash[SERVICES].urls()
    except ServiceFailed as failure:
        pytest.exit(str(failure), returncode=1)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the services, however the tests ended."""
    config.stash[SERVICES].close()


@pytest.fixture(autouse=True)
def tidied_up(request: pytest.FixtureRequest) -> Iterator[None]:
    """Have what a test leaves open told of it, not of whichever test runs as it is collected.

    What outlives a test is not looked at again, so this takes hardly any time.
    """
    yield
    request.node.funcargs.clear()
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def runtime_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Have nodes keep their locks where they are removed with all else."""
    os.environ["RUNTIME_DIRECTORY"] = str(tmp_path_factory.mktemp("runtime"))


@pytest.fixture(scope="session")
def anyio_backend() -> Literal["asyncio"]:
    return "asyncio"


@pytest.fixture(scope="session")
def services(pytestconfig: pytest.Config) -> SharedServices:
    return pytestconfig.stash[SERVICES]


@pytest.fixture(scope="session")
def postgres(services: SharedServices) -> Postgres:
    """The PostgreSQL of the test run; its databases belong to the tests that made them."""
    return services.postgres


@pytest.fixture(scope="session")
def postgres_template(services: SharedServices, postgres: Postgres) -> str:
    """The name of a migrated database to copy; made by the process that asks first."""
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute("select pg_advisory_lock(hashtext(%s))", [services.template])
        made = connection.execute(
            "select from pg_database where datname = %s", [services.template]
        ).fetchone()
        if made is None:
            url = postgres.create_database(name=services.template)
            try:
                prepare_template(url)
            except BaseException:
                postgres.drop_database(url)
                raise
    return services.template


@pytest.fixture
def postgres_url(postgres: Postgres, postgres_template: str) -> Iterator[str]:
    """A migrated PostgreSQL database of the test's own."""
    url = postgres.create_database(template=postgres_template)
    yield url
    postgres.drop_database(url)


@pytest.fixture
def pgbouncer_url(postgres_url: str) -> Iterator[str]:
    """The same database, through a PgBouncer in transaction mode of the test's own."""
    with PgBouncerServer(postgres_url) as pgbouncer:
        yield pgbouncer.url


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A place for a SQLite database of the test's own; nothing is there yet."""
    return f"sqlite:///{tmp_path / 'windlass.db'}"


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest) -> str:
    """Each store in turn: a test that asks for this runs on both."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def redis_url(services: SharedServices, worker_id: str) -> str:
    """An empty numbered Redis database that no other process of the test run uses."""
    number = int(worker_id.removeprefix("gw")) if worker_id != "master" else 0
    url = urlsplit(services.redis_url)._replace(path=f"/{number}").geturl()
    with redis.Redis.from_url(url) as client:
        client.flushdb()
    return url
