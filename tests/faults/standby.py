"""A PostgreSQL that follows another one, until it is told to lead."""

import psycopg

from tests.services import PostgresServer

NAME = "standby"


class Standby(PostgresServer):
    """A streaming standby, copied from its primary when it first starts."""

    name = "standby"

    def __init__(self, primary: PostgresServer, port: int) -> None:
        """Follow the primary, over the port that leads to it."""
        super().__init__()
        self._primary = primary
        self._lead = port

    def prepare(self) -> None:
        """Copy the primary, and have it write down whom to follow."""
        self._programs = self._executable_prefix() / "bin"
        place = f"host=127.0.0.1 port={self._lead} user=postgres application_name={NAME}"
        options = ("--write-recovery-conf", "--checkpoint=fast", "--no-sync")
        self.run(
            self._programs / "pg_basebackup",
            f"--dbname={place}",
            f"--pgdata={self._data}",
            *options,
        )

    def promote(self) -> None:
        """Let it lead; return when it does."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("select pg_promote()")


def wait_for_standby(primary: PostgresServer, *, synchronous: bool) -> None:
    """Have the primary wait for its standby at every commit, or for nobody."""
    names = NAME if synchronous else ""
    with psycopg.connect(primary.url, autocommit=True) as connection:
        connection.execute(f"alter system set synchronous_standby_names = '{names}'".encode())
        connection.execute("select pg_reload_conf()")
