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
    """Written by many processes at once, any of which may die between two lines.

    Whoever writes tells the time by the clock that all processes here share and nobody sets, so
    that a process whose other clock is wrong bears true witness too.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ends = path.with_name(f"{path.name}-ends")
        self._read_to = self._counted = 0
        path.touch()
        self._ends.touch()

    def write(self, job: str, fence: int, number: int) -> None:
        """Add a line, whole and on disk before anything else happens."""
        self._add(self.path, Entry(job, fence, number, os.getpid(), time.monotonic()), sync=True)

    def end(self, job: str, fence: int, number: int) -> None:
        """Add to another file that the handler came to its end; a kill does not undo it."""
        self._add(self._ends, Entry(job, fence, number, os.getpid(), time.monotonic()), sync=False)

    def entries(self) -> list[Entry]:
        """Every start so far, in the order of writing, but for one that is being written."""
        return self._all(self.path)

    def ends(self) -> frozenset[tuple[str, int]]:
        """The jobs and fences whose handler came to its end."""
        return frozenset((entry.job, entry.fence) for entry in self._all(self._ends))

    def __len__(self) -> int:
        """How many starts there are; what was counted before is not read again."""
        with self.path.open("rb") as file:
            file.seek(self._read_to)
            new = file.read()
        self._read_to += len(new)
        self._counted += new.count(b"\n")
        return self._counted

    def _add(self, path: Path, entry: Entry, *, sync: bool) -> None:
        file = os.open(path, os.O_APPEND | os.O_WRONLY)
        try:
            os.write(file, json.dumps(entry).encode() + b"\n")
            if sync:
                os.fdatasync(file)
        finally:
            os.close(file)

    def _all(self, path: Path) -> list[Entry]:
        since_1970 = time.time() - time.monotonic()
        written = (line for line in path.read_text().splitlines() if line.endswith("]"))
        lines = (Entry(*json.loads(line)) for line in written)
        return [entry._replace(at=entry.at + since_1970) for entry in lines]
