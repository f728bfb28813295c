"""Where a store is, as a URL says it."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from msgspec import Struct

from windlass.core.errors import BadStore
from windlass.core.secrets import without_password

MEMORY = ":memory:"
POSTGRES = ("postgres", "postgresql")


class Address(Struct, frozen=True):
    """A PostgreSQL server by its URL, or a SQLite database by its path."""

    dialect: Literal["postgres", "sqlite"]
    place: str

    def __repr__(self) -> str:
        return f"Address({self.dialect!r}, {without_password(self.place)!r})"


def parse_store_url(url: str) -> Address:
    """Read `postgresql://…`, `sqlite:///relative`, `sqlite:////absolute` or `sqlite://:memory:`."""
    # Other programs name their driver too, as in postgresql+asyncpg.
    scheme = url.partition("://")[0].partition("+")[0]
    if "://" in url and scheme in POSTGRES:
        return Address("postgres", _server(url))
    if "://" in url and scheme == "sqlite":
        return Address("sqlite", _path(url))
    raise BadStore(
        f"{without_password(url)!r} is no store; write postgresql://user@host/database,"
        " sqlite:///relative/path.db, sqlite:////absolute/path.db or sqlite://:memory:"
    )


def _server(url: str) -> str:
    rest = url.partition("://")[2]
    try:
        # Reading the port is what finds a wrong one.
        _ = urlsplit(f"postgresql://{rest}").port
    except ValueError:
        # Not in its own words: what it takes for a port may be a piece of the password.
        raise BadStore(
            f"{without_password(url)!r} cannot be read: its port is no number, or a character of"
            " the password needs to be written as %40 (@), %2F (/) or %3A (:)"
        ) from None
    return f"postgresql://{rest}"


def _path(url: str) -> str:
    rest = url.partition("://")[2]
    if rest.removeprefix("/") == MEMORY:
        return MEMORY
    path = rest.removeprefix("/")
    if not rest.startswith("/") or not path or path.endswith("/"):
        raise BadStore(
            f"{url!r} names no file; write sqlite:///relative/path.db, sqlite:////absolute/path.db"
            " or sqlite://:memory:"
        )
    if "?" in path or "\0" in path:
        raise BadStore(f"{url!r} has options, but SQLite takes none here")
    return path
