"""What routes are about: the chapters of the document, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from windlass.http.routing import Route


class Chapter(NamedTuple):
    """A chapter, and the modules whose routes it tells of."""

    name: str
    about: str
    modules: tuple[str, ...]


CHAPTERS = (
    Chapter(
        "Jobs",
        "Submit jobs, find them again, and see what became of them.",
        ("jobs", "batch", "bulk", "faults"),
    ),
    Chapter("Queues", "The lines in which jobs wait.", ("queues",)),
    Chapter("Workers and types", "Who works, and what they know how to do.", ("fleet",)),
    Chapter(
        "Events and metrics",
        "What happens, as it happens, and how things went.",
        ("history", "events", "metrics"),
    ),
    Chapter(
        "Access",
        "Who may ask: users, tokens and sessions.",
        ("login",),
    ),
    Chapter("Mail", "What was sent to the mail sink, for trying things out.", ("mail",)),
    Chapter("Health", "Whether the service lives, for whoever watches over it.", ("health",)),
    Chapter(
        "Names of other schedulers",
        "The same by the names that programs written for other schedulers use.",
        ("seeds",),
    ),
    Chapter("Documents", "What tells of all this.", ("docs", "openapi", "ui")),
)
OTHER = Chapter("Other", "", ())
BY_MODULE: Mapping[str, Chapter] = {
    module: chapter for chapter in CHAPTERS for module in chapter.modules
}


def chapter(route: Route) -> Chapter:
    """The chapter of a route: that of the module it is written in."""
    return BY_MODULE.get(route.handle.__module__.rpartition(".")[2], OTHER)


def told_of(routes: Iterable[Route]) -> list[Chapter]:
    """The chapters that these routes make, in order."""
    told = {chapter(route) for route in routes}
    return [one for one in (*CHAPTERS, OTHER) if one in told]
