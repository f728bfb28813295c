"""`manage.py windlass`: the command line of Windlass, for the jobs of this project."""

from __future__ import annotations

import os
import sys
from argparse import REMAINDER
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from windlass.cli import main
from windlass.contrib.django.backend import WindlassBackend
from windlass.contrib.django.flavour import task_backends


class Command(BaseCommand):
    """Run a command of Windlass, as in `manage.py windlass worker`."""

    help = "Run a command of Windlass for the tasks of this project, as in: windlass worker"

    def add_arguments(self, parser: CommandParser) -> None:
        """Whatever comes after the command's name is for Windlass."""
        parser.add_argument(
            "--backend", default="default", help="whose tasks, by its name in TASKS"
        )
        parser.add_argument(
            "line", nargs=REMAINDER, metavar="COMMAND …", help="as in: worker --help"
        )

    def handle(self, *, backend: str, line: list[str], **_options: Any) -> None:
        """Say where the jobs are and who knows them, and go on as `windlass` itself."""
        os.environ.update(_surroundings(_found(backend)))
        sys.argv = ["windlass", *line]
        main()


def _found(alias: str) -> WindlassBackend:
    if alias not in task_backends.settings:
        known = ", ".join(task_backends.settings)
        raise CommandError(f"TASKS has no backend {alias!r}; it has {known}")
    backend = task_backends[alias]
    if not isinstance(backend, WindlassBackend):
        raise CommandError(f"TASKS[{alias!r}] is no WindlassBackend; name another with --backend")
    return backend


def _surroundings(backend: WindlassBackend) -> dict[str, str]:
    """What the processes that this one starts need to know; a command line others could read."""
    here = [sys.path[0], *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        "WINDLASS_APP": f"windlass.contrib.django.worker:{backend.alias}",
        "WINDLASS_STORE": backend.url,
        "WINDLASS_SCHEMA": backend.app.settings.schema,
        "PYTHONPATH": os.pathsep.join(here),
    }
