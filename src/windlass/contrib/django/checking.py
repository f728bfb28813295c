"""What `manage.py check` says of a backend whose jobs could not be kept as promised."""

from __future__ import annotations

from django.core.checks import CheckMessage, Error
from django.core.checks import Warning as Advice
from django.core.exceptions import ImproperlyConfigured
from django.db.backends.base.base import BaseDatabaseWrapper

from windlass.contrib.django.address import in_memory, store_url


def examine(alias: str, database: BaseDatabaseWrapper, store: str | None) -> list[CheckMessage]:
    """What is wrong with the backend of this name, and what to do."""
    if store is not None or in_memory(database):
        return []
    try:
        store_url(database)
    except ImproperlyConfigured as problem:
        return [Error(str(problem), obj=f"TASKS[{alias!r}]", id="windlass.E001")]
    if database.vendor == "postgresql" and not _has_psycopg_3():
        return [
            Error(
                "Windlass enqueues through psycopg 3, and Django uses psycopg2 here",
                hint="pip install 'psycopg[binary]'",
                obj=f"TASKS[{alias!r}]",
                id="windlass.E002",
            )
        ]
    return _about_sqlite(alias, database) if database.vendor == "sqlite" else []


def _has_psycopg_3() -> bool:
    from django.db.backends.postgresql.psycopg_any import is_psycopg3  # noqa: PLC0415 — needs either

    return is_psycopg3


def _about_sqlite(alias: str, database: BaseDatabaseWrapper) -> list[CheckMessage]:
    options = database.settings_dict.get("OPTIONS") or {}
    if str(options.get("transaction_mode") or "").upper() in {"IMMEDIATE", "EXCLUSIVE"}:
        return []
    return [
        Advice(
            "a transaction that reads first and writes later fails at once with 'database is"
            " locked' if a worker wrote in between",
            hint="DATABASES: 'OPTIONS': {'transaction_mode': 'IMMEDIATE'}",
            obj=f"TASKS[{alias!r}]",
            id="windlass.W001",
        )
    ]
