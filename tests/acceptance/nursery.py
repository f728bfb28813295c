"""Many lives of `windlass serve`, each in a process of its own that finds the code already read.

What takes long in a start is to read the code. A mother reads it once and opens nothing, and each
child of hers goes through all the rest of the start: its settings, sockets, connections and memory
are its own, and end with it.
"""

import gc
import os
import random
import signal
import threading
from importlib import import_module
from pathlib import Path

from tests.acceptance.dying import STEPS, die_at

# What `serve` reads on its way, on either store.
CODE = (
    "windlass.cli.serve",
    "windlass.cli.command",
    "windlass.wiring.loading",
    "windlass.wiring.equipment",
    "windlass.wiring.packages",
    "windlass.store.sqlite",
    "windlass.store.postgres",
    "windlass.store.migrate_sqlite",
    "windlass.store.migrate_postgres",
    "windlass.bell.local",
    "windlass.bell.postgres",
    "uvicorn.lifespan.off",
    "uvloop",
)
# A life that has not come to its step after so many seconds, since nobody asks or for any reason,
# ends by another signal, and its mother with it.
LONGEST = 40
# What each life ended at and of, in the folder of the API.
BOOK = Path("deaths")


def bear(times: int) -> None:
    """Let so many lives end at each step; returns in each of them, and in the mother at last."""
    read_code()
    for life, step in enumerate(STEPS * times):
        child = os.fork()
        if not child:
            live(step, life)
            return
        _, status = os.waitpid(child, 0)
        write_down(step, os.waitstatus_to_exitcode(status))


def read_code() -> None:
    """Have at hand what every child needs, and nothing else: no thread is forked, nor its locks."""
    for name in CODE:
        import_module(name)
    gc.collect()
    gc.freeze()
    assert threading.active_count() == 1


def live(step: str, life: int) -> None:
    """Become mortal, sooner or later from life to life; only the mother tells where she is."""
    signal.alarm(LONGEST)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    die_at(step, passes=random.Random(life).randrange(3, 12))


def write_down(step: str, code: int) -> None:
    """Remember a life; one that ended otherwise is the last."""
    with BOOK.open("a") as book:
        book.write(f"{step}: {code}\n")
    if code != -signal.SIGKILL:
        raise SystemExit(f"a life that should have ended {step} ended with {code}")
