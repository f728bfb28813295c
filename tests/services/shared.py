"""The one PostgreSQL and the one Redis that all processes of a test run share."""

import os
import uuid
from collections.abc import Mapping
from contextlib import ExitStack
from urllib.parse import urlsplit

from tests.services.postgres import Postgres, PostgresServer
from tests.services.redis import RedisServer


class SharedServices:
    """Services by their URLs: told by whoever started them, by the environment, or started here."""

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        self._urls = dict(known or {})
        self._started = ExitStack()
        self.run = self._urls.setdefault("run", uuid.uuid4().hex)

    @property
    def postgres(self) -> Postgres:
        """The PostgreSQL of this run (TEST_POSTGRES_URL, or one of our own)."""
        if "postgres" not in self._urls:
            self._urls["postgres"] = os.environ.get("TEST_POSTGRES_URL") or self._start_postgres()
            # Only whoever knew it first cleans up, so that a server of the caller's stays tidy.
            self._started.callback(self._drop_template)
        return Postgres(self._urls["postgres"])

    @property
    def redis_url(self) -> str:
        """The Redis of this run (TEST_REDIS_URL, whose databases will be emptied, or our own)."""
        if "redis" not in self._urls:
            self._urls["redis"] = os.environ.get("TEST_REDIS_URL") or self._start_redis()
        return self._urls["redis"]

    @property
    def template(self) -> str:
        """The name of the database that every test's own database is copied from."""
        return f"windlass_template_{self.run}"

    def urls(self) -> dict[str, str]:
        """Start what is not started yet, and say where everything is."""
        return {"run": self.run, "postgres": self.postgres.url, "redis": self.redis_url}

    def close(self) -> None:
        """Stop what was started here."""
        self._started.close()

    def _drop_template(self) -> None:
        self.postgres.drop_database(
            urlsplit(self.postgres.url)._replace(path=f"/{self.template}").geturl()
        )

    def _start_postgres(self) -> str:
        return self._started.enter_context(PostgresServer()).url

    def _start_redis(self) -> str:
        return self._started.enter_context(RedisServer()).url
