"""Roles of PostgreSQL that may do nothing yet."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import urlsplit

import psycopg
from psycopg import sql


class Stranger(NamedTuple):
    """A role, and the database as it sees it."""

    name: str
    url: str


@contextmanager
def stranger(url: str) -> Iterator[Stranger]:
    """A role while the block runs; whatever it owns in this database goes with it."""
    parts, name = urlsplit(url), f"stranger_{os.getpid()}"
    netloc = parts.netloc.replace(parts.username or "", name, 1)
    role, word = sql.Identifier(name), sql.Literal(parts.password or "none")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("create role {} login password {}").format(role, word))
        try:
            yield Stranger(name, parts._replace(netloc=netloc).geturl())
        finally:
            connection.execute(sql.SQL("drop owned by {}").format(role))
            connection.execute(sql.SQL("drop role {}").format(role))
