"""Makes the executors that come with Windlass, as the settings want them."""

from __future__ import annotations

from collections.abc import Iterator

from windlass.core.backoff import Backoff
from windlass.executors.arithmetic import add_numbers, large_array_sum
from windlass.executors.base import Executor
from windlass.executors.handlers import from_function
from windlass.executors.text import reverse_string


def equipment(backoff: Backoff) -> Iterator[Executor]:
    """One executor for each built-in type of job."""
    yield from_function(add_numbers, {"backoff": backoff})
    yield from_function(reverse_string, {"backoff": backoff})
    yield from_function(large_array_sum, {"backoff": backoff, "thread_demand": 1})
