"""What routes are about: the chapters of the document, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from windlass.http.routing import Route


class Topic(NamedTuple):
    """A chapter, and the modules whose routes it tells of."""

    name: str
    about: str
    modules: tuple[str, ...]


TOPICS = (
    Topic(
        "Jobs",
        "Submit jobs, find them again, and see what became of them.",
        ("jobs", "batch", "bulk", "faults"),
    ),
    Topic("Queues", "The lines in which jobs wait.", ("queues",)),
    Topic("Workers and types", "Who works, and what they know how to do.", ("fleet",)),
    Topic(
        "Events and metrics",
        "What happens, as it happens, and how things went.",
        ("history", "events", "metrics"),
    ),
    Topic(
        "Access",
        "Who may ask: users, tokens and sessions.",
        ("login", "people"),
    ),
    Topic("Mail", "What was sent to the mail sink, for trying things out.", ("mail",)),
    Topic("Health", "Whether the service lives, for whoever watches over it.", ("health",)),
    Topic(
        "Names of other schedulers",
        "The same by the names that programs written for other schedulers use.",
        ("seeds",),
    ),
    Topic("Documents", "What tells of all this.", ("docs", "openapi", "ui")),
)
OTHER = Topic("Other", "", ())
BY_MODULE: Mapping[str, Topic] = {module: topic for topic in TOPICS for module in topic.modules}


def topic(route: Route) -> Topic:
    """The chapter of a route: that of the module it is written in."""
    return BY_MODULE.get(route.handle.__module__.rpartition(".")[2], OTHER)


def told_of(routes: Iterable[Route]) -> list[Topic]:
    """The chapters that these routes make, in order."""
    told = {topic(route) for route in routes}
    return [one for one in (*TOPICS, OTHER) if one in told]
