"""The app whose jobs are run: whether it can be imported at all."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator

from windlass.cli.checkup.finding import Finding, ok, problem
from windlass.cli.words import count
from windlass.config import Settings

# In a process of its own: a module that hangs, exits or crashes takes nobody along. It ends at
# once, whatever the module would still say at its end, and whichever threads it has started.
LOAD = """
import os, sys
from windlass.wiring.loading import load_app
print(len(load_app(sys.argv[1]).registry.types()), flush=True)
os._exit(0)
"""
PATIENCE = 10.0


async def examine(settings: Settings) -> AsyncIterator[Finding]:
    """Import the app that the settings name, as a worker would."""
    name = settings.app
    if name is None:
        yield ok("app", "none is named; workers know the built-in types of job")
        return
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", LOAD, name), stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    advice = f"correct {name}, or the name in {settings.sources['app']}"
    try:
        async with asyncio.timeout(PATIENCE):
            out, err = await process.communicate()
    except TimeoutError:
        yield problem("app", f"{name} takes more than {PATIENCE:g} s to import", advice)
        return
    finally:
        _end(process)
    if process.returncode:
        yield problem("app", f"{name} cannot be imported: {_last_line(err)}", advice)
    else:
        yield ok("app", f"{name} declares {count(int(out.split()[-1]), 'type')} of job")


def _end(process: Process) -> None:
    if process.returncode is None:
        process.kill()


def _last_line(said: bytes) -> str:
    """What an error is called and says; of our own only what it says."""
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("windlass.core.errors.BadInput: ") if lines else "it says nothing"
