"""The Django app: brings `manage.py windlass`, and the tables along with `manage.py migrate`."""

from __future__ import annotations

import asyncio
from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate

from windlass.contrib.django.address import in_memory
from windlass.contrib.django.backend import WindlassBackend
from windlass.contrib.django.flavour import task_backends
from windlass.wiring import migrate


class WindlassConfig(AppConfig):
    """Known to Django as `windlass`."""

    name = "windlass.contrib.django"
    label = "windlass"
    verbose_name = "Windlass"

    def ready(self) -> None:
        """Migrate when Django does."""
        post_migrate.connect(_migrate, sender=self)


def _migrate(using: str, verbosity: int, **_kwargs: Any) -> None:
    """Bring the tables of every backend that works with this database to this version."""
    for backend in task_backends.all():
        if not isinstance(backend, WindlassBackend) or backend.database != using:
            continue
        if backend.store is None and in_memory(connections[using]):
            continue
        if verbosity > 0:
            print(f"Migrating the tables of Windlass for TASKS[{backend.alias!r}]")  # noqa: T201 — as migrate does
        asyncio.run(migrate(backend.url, backend.app.settings.schema))
