"""What really happened, whatever any database says: a file that handlers append to."""

import json
import os
import time
from pathlib import Path
from typing import NamedTuple


class Entry(NamedTuple):
    """One start of one attempt."""

    job: str
    fence: int
    number: int
    pid: int
    at: float  # seconds since 1970


class Ledger:
    """Written by many processes at once, any of which may die between two lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()

    def write(self, job: str, fence: int, number: int) -> None:
        """Add a line, whole and on disk before anything else happens."""
        line = json.dumps(Entry(job, fence, number, os.getpid(), time.time())) + "\n"
        file = os.open(self.path, os.O_APPEND | os.O_WRONLY)
        try:
            os.write(file, line.encode())
            os.fdatasync(file)
        finally:
            os.close(file)

    def entries(self) -> list[Entry]:
        """Every line so far, in the order of writing."""
        return [Entry(*json.loads(line)) for line in self.path.read_text().splitlines()]

    def __len__(self) -> int:
        """How many lines there are."""
        return self.path.read_bytes().count(b"\n")
