"""Which threads were granted when, by whom: a file that handlers append to.

A handler writes after the grant and before its end, so each grant lasted at least as long as the
file says. One without an end lasted until its worker was killed.
"""

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from windlass import Context

GRANTS = "ACCEPTANCE_GRANTS"


class Grant(NamedTuple):
    """Threads of a worker, from now on, or from now on no more."""

    number: int
    worker: int  # its process
    width: int  # all threads of the worker
    threads: int  # negative when they are given back
    at: float  # seconds of a clock that all processes here share


@contextmanager
def held(ctx: Context, number: int, worker: int) -> Iterator[None]:
    """Write down what was granted while the block runs."""
    path, width = Path(os.environ[GRANTS]), int(os.environ["WINDLASS_THREADS"])
    _write(path, Grant(number, worker, width, ctx.threads, time.monotonic()))
    try:
        yield
    finally:
        _write(path, Grant(number, worker, width, -ctx.threads, time.monotonic()))


def grants(path: Path) -> list[Grant]:
    """Every line so far, by the clock, but for one that is being written."""
    lines = path.read_text().splitlines() if path.exists() else []
    # What is given back is free for another grant of the same instant.
    return sorted(
        (Grant(*json.loads(line)) for line in lines if line.endswith("]")),
        key=lambda one: (one.at, one.threads),
    )


def overdrawn(path: Path) -> list[tuple[Grant, int]]:
    """The grants by which a worker had granted more than it has, and how much that was."""
    granted: dict[int, int] = defaultdict(int)
    found = []
    for grant in grants(path):
        granted[grant.worker] += grant.threads
        if granted[grant.worker] > grant.width:
            found.append((grant, granted[grant.worker]))
    return found


def most(path: Path) -> dict[int, int]:
    """The most threads that were granted at any instant, for each width of worker."""
    granted: dict[int, int] = defaultdict(int)
    peaks: dict[int, int] = defaultdict(int)
    for grant in grants(path):
        granted[grant.worker] += grant.threads
        peaks[grant.width] = max(peaks[grant.width], granted[grant.worker])
    return dict(peaks)


def starts(path: Path) -> dict[int, list[Grant]]:
    """The grants for each job, by its number."""
    found: dict[int, list[Grant]] = defaultdict(list)
    for grant in grants(path):
        if grant.threads > 0:
            found[grant.number].append(grant)
    return dict(found)


def _write(path: Path, grant: Grant) -> None:
    file = os.open(path, os.O_APPEND | os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.write(file, json.dumps(grant).encode() + b"\n")
    finally:
        os.close(file)
