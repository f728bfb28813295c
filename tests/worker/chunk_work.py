"""Work on chunks, where helpers can import it."""

import ctypes
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from windlass import Retry


def squares(numbers: Sequence[int]) -> int:
    """Add squares."""
    return sum(number * number for number in numbers)


TOILED = [0.0]


def toil(numbers: Sequence[int]) -> int:
    """Spend a second for each number but 0, as `toiled` has it; say who did."""
    TOILED[0] += sum(number != 0 for number in numbers)
    return os.getpid()


def toiled() -> float:
    """Seconds that this process has toiled."""
    return TOILED[0]


def pid(_: Sequence[Any]) -> int:
    """Who works here."""
    return os.getpid()


def threads(_: Sequence[Any]) -> str:
    """How many threads a library that computes in threads would start."""
    return os.environ["OMP_NUM_THREADS"]


def meet(places: Sequence[str]) -> int:
    """Wait for the others: nobody gets on unless all work at once."""
    [mine] = places
    folder = Path(mine).parent
    Path(mine).touch()
    while len(list(folder.iterdir())) < int(folder.name):
        time.sleep(0.005)
    return os.getpid()


def fail(numbers: Sequence[int]) -> int:
    """Fail at a 7, and hang at any other number."""
    if 7 in numbers:
        raise LookupError("seven")
    time.sleep(60)
    return 0


def odd(_: Sequence[int]) -> int:
    """Raise what cannot travel."""
    raise Retry("later", after=5)


def unsendable(_: Sequence[int]) -> Any:
    """Return what cannot travel."""
    return lambda: 0


def die(_: Sequence[int]) -> int:
    """Die."""
    ctypes.string_at(0)
    return 0


def hang(places: Sequence[str]) -> int:
    """Tell who hangs, and hang."""
    [mine] = places
    Path(mine).write_text(str(os.getpid()))
    time.sleep(60)
    return 0


def total(array: Any) -> float:
    """Add the numbers of an array."""
    return float(array.sum())
