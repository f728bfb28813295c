"""The types of job that installed packages bring."""

from __future__ import annotations

from collections.abc import AsyncIterator

from windlass.cli.checkup.finding import Finding, ok, warning
from windlass.config import Settings
from windlass.wiring import Windlass


async def examine(settings: Settings) -> AsyncIterator[Finding]:
    """Import whatever they bring, as a worker without an app of its own would."""
    packages = Windlass(settings=settings, builtins=True).packages
    assert packages is not None  # noqa: S101 — as it was asked for
    brought = packages.origins()
    if brought:
        told = ", ".join(f"{type_} ({package})" for type_, package in brought.items())
        yield ok("packages", f"bring job types: {told}")
    for flaw in packages.flaws:
        what = "its job types" if flaw.type is None else f"job type {flaw.type!r}"
        yield warning(
            "packages",
            f"{what} of {flaw.package} cannot be had: {flaw.why}",
            "repair or uninstall that package; everything else works",
        )
