"""The command line: a thin door to the app's verbs, for people and for scripts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing

__all__ = ["main"]


def main() -> None:
    """Run one command.

    If that is to work, the first process starts before the words are read: each takes as long.
    """
    if not _works(sys.argv[1:]):
        from windlass.cli.root import main as run  # noqa: PLC0415 - not before the process is started

        return run()
    from windlass.wiring.mustering import muster  # noqa: PLC0415 - only for who works

    with closing(muster()) as called:
        called.early()
        from windlass.cli.root import main as run  # noqa: PLC0415 - as above

        return run(called)


def _works(words: Sequence[str]) -> bool:
    """Whether there is probably work to do; a process that was started for nothing is ended."""
    return words[:1] == ["worker"] and not {"-h", "--help"}.intersection(words)
