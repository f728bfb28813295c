"""A program that asks for effects one by one, by plain calls, and writes down what it was told.

`python -m tests.acceptance.caller STORE NOTES FIRST` goes on until somebody kills it.
"""

import os
import sys
from itertools import count
from pathlib import Path
from typing import NamedTuple

from tests.acceptance.jobs import Works
from windlass import Windlass
from windlass.worker.birth import die_with_parent


class Notes(NamedTuple):
    """What callers wrote down, those that are dead by now too."""

    path: Path

    def asked(self) -> set[str]:
        """The jobs that they were about to ask for."""
        return self._said("asks")

    def accepted(self) -> set[str]:
        """The jobs of which they were told that they are kept."""
        return self._said("kept")

    def _said(self, word: str) -> set[str]:
        lines = (line.split() for line in self.path.read_text().splitlines())
        return {line[1] for line in lines if line[0] == word}


def main(store: str, notes: str, first: str) -> None:
    """Ask, and ask for the next once it is answered; a note is one write, whole or not there."""
    die_with_parent()
    app = Windlass(store)
    effect = Works(app).effect
    file = os.open(notes, os.O_WRONLY | os.O_APPEND)
    for number in count(int(first)):
        job = effect.job(number, 0)
        os.write(file, f"asks {job.id}\n".encode())
        app.blocking.enqueue(job)
        os.write(file, f"kept {job.id}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
