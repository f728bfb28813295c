"""Runs workers whose first process is started as early as can be.

So this imports little: what a supervisor takes is read while that process reads what it takes.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from windlass.starting import program
from windlass.worker.muster import Muster

if TYPE_CHECKING:
    from windlass.config import Settings
    from windlass.worker.supervisor import Exit

CHILD = "windlass.wiring.child"


def muster() -> Muster:
    """What starts the worker processes of this program."""
    return Muster(program(CHILD))


def run_worker(
    app: str, settings: Settings, *, kept: bool = False, called: Muster | None = None
) -> Exit:
    """Run the jobs of `app`, as module:name, until a signal; answer with a code for the shell.

    What the caller decided of the settings counts; for the rest the app's own do. One that is
    `kept` by another process leaves it to that one to tell of the store, the signal and the end.
    A process that was `called` up early is the first.
    """
    with closing(called or muster()) as mustered:
        mustered.early()
        mustered.load(app)
        from windlass.wiring.supervising import supervise  # noqa: PLC0415 - see above

        return supervise(mustered, settings, kept=kept)
