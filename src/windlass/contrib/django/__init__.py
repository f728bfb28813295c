"""Django's tasks, kept and run by Windlass; see docs/django.md."""

from windlass.contrib.django.backend import WindlassBackend
from windlass.contrib.django.task import WindlassTask, task

__all__ = ["WindlassBackend", "WindlassTask", "task"]
