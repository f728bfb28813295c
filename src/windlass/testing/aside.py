"""Runs coroutines from anywhere in a test, whether or not an event loop is running there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def aside(verb: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Wait for the answer, which a loop in a thread of its own finds meanwhile."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(verb())).result()
