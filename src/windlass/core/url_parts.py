"""Addresses whose parts stand in variables of their own, as the images of databases have them."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote


def postgres_url(said: Mapping[str, str]) -> str:
    """The server at POSTGRES_HOST; what is not said of it is as its image has it."""
    user = said.get("POSTGRES_USER") or "postgres"
    database = said.get("POSTGRES_DB") or user
    mode = said.get("POSTGRES_SSL_MODE")
    who = _credentials(user, said.get("POSTGRES_PASSWORD"))
    where = _place(said, "POSTGRES", "5432")
    return f"postgresql://{who}{where}/{_quoted(database)}" + (f"?sslmode={mode}" if mode else "")


def redis_url(said: Mapping[str, str]) -> str:
    """The server at REDIS_HOST."""
    who = _credentials("", said.get("REDIS_PASSWORD"))
    return f"redis://{who}{_place(said, 'REDIS', '6379')}/{said.get('REDIS_DB') or '0'}"


def _credentials(user: str, password: str | None) -> str:
    if not password:
        return f"{_quoted(user)}@" if user else ""
    return f"{_quoted(user)}:{_quoted(password)}@"


def _place(said: Mapping[str, str], what: str, port: str) -> str:
    host = said[f"{what}_HOST"]
    # Kubernetes tells of a service called redis by REDIS_PORT=tcp://10.0.0.1:6379.
    port = (said.get(f"{what}_PORT") or port).rpartition(":")[2]
    return f"{f'[{host}]' if ':' in host else host}:{port}"


def _quoted(text: str) -> str:
    return quote(text, safe="")
