"""What the jobs of every side write down: one small record for each start and each end.

It costs a microsecond or two, the same for all; the clock is one that all processes here share.
"""

from __future__ import annotations

import os
import time
from functools import cache
from struct import Struct

RECORD = Struct("<qqdd")  # the job's number, START or END, when it was enqueued, when this was
START, END = 0, 1


def started(number: int, enqueued: float) -> None:
    """Write down that a job starts now."""
    os.write(log(), RECORD.pack(number, START, enqueued, time.monotonic()))


def ended(number: int, enqueued: float) -> None:
    """Write down that a job ends now."""
    os.write(log(), RECORD.pack(number, END, enqueued, time.monotonic()))


@cache
def log() -> int:
    """The file that all processes of a side append to."""
    return os.open(os.environ["SIDE_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
