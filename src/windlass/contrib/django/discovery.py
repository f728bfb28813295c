"""Where workers look for tasks: in `tasks` of every installed app, and where they are told to."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from types import ModuleType

from django.apps import apps
from django.utils.module_loading import module_has_submodule

from windlass.contrib.django.flavour import AnyTask, Task


def looked_at(task: AnyTask, roots: Iterable[str]) -> bool:
    """Whether workers know this task before its first job comes."""
    module = f"{task.func.__module__}."
    return any(module.startswith(f"{root}.") for root in roots)


def roots(named: Sequence[str]) -> list[str]:
    """The modules and packages in which workers look."""
    own = [f"{app.name}.tasks" for app in apps.get_app_configs() if _has_tasks(app.module)]
    return [*own, *named]


def tasks(named: Sequence[str], backend: str) -> list[AnyTask]:
    """Every task for this backend that is found there, each once."""
    where = roots(named)
    found: dict[str, AnyTask] = {}
    for module in _modules(where):
        for value in vars(module).values():
            if isinstance(value, Task) and value.backend == backend and looked_at(value, where):
                found.setdefault(value.module_path, value)
    return list(found.values())


def _has_tasks(module: ModuleType | None) -> bool:
    return module is not None and module_has_submodule(module, "tasks")


def _modules(names: Iterable[str]) -> Iterator[ModuleType]:
    for name in names:
        module = import_module(name)
        yield module
        for found in pkgutil.walk_packages(getattr(module, "__path__", ()), f"{name}."):
            yield import_module(found.name)
