"""The apps of a Django project, each by the name that its backend has in TASKS.

`python manage.py windlass worker` is short for `windlass worker --app` with this module and name.
"""

from __future__ import annotations

import django
from django.apps import apps

from windlass import Windlass

if not apps.ready:
    django.setup()

# Only now: whoever imports tasks before Django is set up, fails.
from windlass.contrib.django.backend import WindlassBackend
from windlass.contrib.django.flavour import task_backends


def __getattr__(name: str) -> Windlass:
    if name not in task_backends.settings:
        raise AttributeError(f"TASKS has no backend {name!r}")
    backend = task_backends[name]
    if not isinstance(backend, WindlassBackend):
        raise AttributeError(f"TASKS[{name!r}] is no WindlassBackend")  # noqa: TRY004 — of a module
    return backend.staffed()
