"""Where a database of Django's is, as Windlass says it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.base.base import BaseDatabaseWrapper

# What libpq and asyncpg call alike.
PASSED_ON = (
    *("sslmode", "sslcert", "sslkey", "sslrootcert", "sslcrl"),
    *("passfile", "target_session_attrs", "connect_timeout"),
)
ELSEWHERE = "say in OPTIONS of TASKS where jobs shall be kept, as in 'STORE': 'postgresql://…'"


def store_url(database: BaseDatabaseWrapper) -> str:
    """The URL of the store that is in this database."""
    if database.vendor == "postgresql":
        return _postgres(database.settings_dict)
    if database.vendor == "sqlite":
        return _sqlite(database)
    raise ImproperlyConfigured(
        f"Windlass cannot keep jobs in the database {database.alias!r}, which is"
        f" {database.display_name}; {ELSEWHERE}"
    )


def in_memory(database: BaseDatabaseWrapper) -> bool:
    """Whether nobody but this process can open the database."""
    name = str(database.settings_dict["NAME"])
    return database.vendor == "sqlite" and (name == ":memory:" or "mode=memory" in name)


def _postgres(said: dict[str, Any]) -> str:
    options = said.get("OPTIONS") or {}
    if "service" in options:
        raise ImproperlyConfigured(f"Windlass reads no pg_service.conf; {ELSEWHERE}")
    query = {name: options[name] for name in PASSED_ON if name in options}
    host, port = str(said.get("HOST") or ""), str(said.get("PORT") or "")
    if host.startswith("/"):
        # A folder of sockets, which cannot stand where a URL has its host.
        query |= {"host": host} | ({"port": port} if port else {})
        host = port = ""
    place = f"{host}:{port}" if port else host
    url = f"postgresql://{_who(said)}{place}/{quote(str(said['NAME']), safe='')}"
    return f"{url}?{urlencode(query)}" if query else url


def _who(said: dict[str, Any]) -> str:
    user, password = said.get("USER") or "", said.get("PASSWORD") or ""
    if not user:
        return ""
    secret = f":{quote(password, safe='')}" if password else ""
    return f"{quote(user, safe='')}{secret}@"


def _sqlite(database: BaseDatabaseWrapper) -> str:
    name = str(database.settings_dict["NAME"])
    if in_memory(database) or name.startswith("file:"):
        raise ImproperlyConfigured(
            f"the database {database.alias!r} is {name!r}, which no worker can open; give it a"
            " file (in tests: 'TEST': {'NAME': BASE_DIR / 'test.sqlite3'}), or run tasks at once"
            " with ImmediateBackend"
        )
    return f"sqlite:///{Path(name).absolute()}"
