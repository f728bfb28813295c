"""What is installed here."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.util import find_spec

import windlass
from windlass.cli.checkup.finding import Finding, ok

# The extras, and a module that tells whether each is there.
EXTRAS = {
    "client": "httpx2",
    "images": "PIL",
    "jwks": "cryptography",
    "numpy": "numpy",
    "otel": "opentelemetry",
    "psycopg": "psycopg",
    "redis": "hiredis",
    "tui": "textual",
}


def examine() -> Iterator[Finding]:
    """Look at the program itself."""
    yield ok("program", f"windlass {windlass.__version__} on Python {platform.python_version()}")
    there = [extra for extra, module in EXTRAS.items() if find_spec(module)]
    missing = [extra for extra in EXTRAS if extra not in there]
    told = f"installed: {', '.join(there) or 'none'}"
    yield ok("extras", f"{told}; not installed: {', '.join(missing)}" if missing else told)
