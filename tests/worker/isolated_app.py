"""The application that isolated processes of the tests import."""

import ctypes
import os
import signal
import time
from pathlib import Path

from windlass.executors.base import Registry
from windlass.executors.context import Context
from windlass.executors.handlers import Declaration, from_function
from windlass.store.base import Effects

# What each library reads, by its own documentation.
LIBRARIES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "RAYON_NUM_THREADS",
)


class IsolatedApp:
    """As much of an application as an isolated process needs."""

    def __init__(self) -> None:
        self.registry = Registry()

    def effects(self) -> Effects:
        """None of the tests here needs any."""
        raise NotImplementedError


def whoami() -> int:
    """Tell which process this is."""
    return os.getpid()


def environment(ctx: Context) -> list[str]:
    """Tell how many threads were granted, and what libraries will read."""
    return [str(ctx.threads), *(os.environ[name] for name in LIBRARIES)]


def die(how: str) -> None:
    """Take the process along."""
    if how == "exit":
        os._exit(7)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    ctypes.string_at(0)


def sleep(path: str) -> None:
    """Take a while, and say that it has begun."""
    Path(path).write_text(str(os.getpid()))
    time.sleep(60)


def devour() -> int:
    """Use more memory than is allowed."""
    return len(bytearray(2_000_000_000))


def tidy(path: str) -> None:
    """Clean up when interrupted."""
    Path(path).write_text("begun")
    try:
        time.sleep(60)
    finally:
        Path(path).write_text("tidy")


def talk(ctx: Context) -> None:
    """Say a lot."""
    ctx.progress(0.5, "half")
    ctx.log("one")
    ctx.log("two", level="error")
    ctx.keep("report.txt", b"\x00\xff" * 1000, "text/plain")
    ctx.progress(1.0)
    ctx.result("talked")


def fail() -> None:
    """Raise."""
    raise ValueError("not today")


async def on_a_loop() -> str:
    """Run as a coroutine."""
    return "coroutine"


app = IsolatedApp()
for handler in (whoami, environment, die, sleep, tidy, talk, fail, on_a_loop):
    app.registry.add(from_function(handler, Declaration(isolation="process")))
app.registry.add(from_function(devour, Declaration(isolation="process", memory_limit=1 << 30)))
