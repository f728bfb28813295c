"""Writes the pages of docs/ that the code itself can tell: `python -m tests.docs.reference`."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.docs.reference import commands, configuration, library, routes

DOCS = Path(__file__).parents[3] / "docs"
PAGES: Mapping[str, Callable[[], str]] = {
    "configuration.md": configuration.page,
    "cli.md": commands.page,
    "http.md": routes.page,
    "library.md": library.page,
}


def main() -> None:
    """Write each page; with --check only say which are not what the code says."""
    if "--check" in sys.argv[1:]:
        sys.exit("\n".join(f"docs/{name} is stale: run script/reference" for name in stale()) or 0)
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), "utf-8")


def stale() -> list[str]:
    """The pages that say something else than the code."""
    return [name for name, page in PAGES.items() if _written(name) != page()]


def _written(name: str) -> str | None:
    file = DOCS / name
    return file.read_text("utf-8") if file.exists() else None


if __name__ == "__main__":
    main()
