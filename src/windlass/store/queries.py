"""Loads the .sql files and writes them in the words of a dialect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from windlass.core.errors import BadStore

# `:name` is a parameter, `::text` a cast.
PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)")
# Not by importlib.resources, which takes longer to import than to read them all.
SHIPPED = Path(__file__).with_name("sql")
SCHEMA_NAME = re.compile(r"^[a-z_][a-z0-9_]{0,62}$")


class Query(Struct, frozen=True, dict=True):
    """One statement, with its parameters in the order in which they first appear."""

    name: str
    text: str

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The distinct parameter names."""
        return tuple(dict.fromkeys(PARAMETER.findall(self.text)))

    @cached_property
    def numbered(self) -> str:
        """The text with $1, $2 …, as asyncpg wants it."""
        place = {name: f"${n}" for n, name in enumerate(self.parameters, 1)}
        return PARAMETER.sub(lambda match: place[match[1]], self.text)

    @cached_property
    def formatted(self) -> str:
        """The text with %(name)s, as psycopg wants it."""
        return PARAMETER.sub(r"%(\1)s", self.text.replace("%", "%%"))

    def positional(self, args: Mapping[str, Any]) -> list[Any]:
        """The arguments in the order of `numbered`."""
        return [args[name] for name in self.parameters]


class Queries:
    """The statements of one dialect. A dialect's file shadows the common file of the same name."""

    def __init__(self, dialect: str, schema: str = "public") -> None:
        """Read every file once; `schema` is written into the statements."""
        if not SCHEMA_NAME.match(schema):
            raise BadStore(f"schema {schema!r} is not a plain lower-case SQL name")
        self.dialect = dialect
        self.schema = schema
        texts = _files(SHIPPED / "common") | _files(SHIPPED / dialect)
        self._queries = {name: Query(name, self.written(text)) for name, text in texts.items()}

    def __getitem__(self, name: str) -> Query:
        """The statement of this name."""
        return self._queries[name]

    def __iter__(self) -> Any:
        """The names."""
        return iter(self._queries)

    def written(self, text: str) -> str:
        """A statement with table names and the database's time as this dialect writes them.

        Files say `windlass_jobs` and `:now`. On PostgreSQL every table is qualified, so that the
        caller's search path does not matter; on SQLite `:now` is bound when the statement runs.
        """
        if self.dialect != "postgres":
            return text
        qualified = re.sub(r"\bwindlass_(?=\w)", f'"{self.schema}".windlass_', text)
        return re.sub(r"(?<![:\w]):now\b", f'"{self.schema}".windlass_now()', qualified)


@lru_cache
def shipped(dialect: str, schema: str = "public") -> Queries:
    """The statements of this program, read and written once in a process: they never change."""
    return Queries(dialect, schema)


def _files(folder: Path) -> dict[str, str]:
    return {
        file.name.removesuffix(".sql"): file.read_text("utf-8")
        for file in folder.iterdir()
        if file.name.endswith(".sql")
    }
