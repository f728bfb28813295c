"""Programs of the examples, started as their readers would start them."""

import asyncio
import os
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
# Where a program says that it listens.
URL = re.compile(r"http://127\.0\.0\.1:\d+")
PATIENCE = 45.0


def copied(name: str, folder: Path) -> Path:
    """The example in a folder of the test's own, with nothing around it."""
    return shutil.copytree(
        EXAMPLES / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".windlass")
    )


async def start(line: str, folder: Path, **env: str) -> asyncio.subprocess.Process:
    """A command line, in a folder without any settings."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith("WINDLASS_")}
    bare.pop("DATABASE_URL", None)
    program, *words = line.split()
    return await asyncio.create_subprocess_exec(
        Path(sys.executable).with_name(program),
        *words,
        cwd=folder,
        env={**bare, "PYTHONUNBUFFERED": "1", **env},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


async def printed(line: str, folder: Path, **env: str) -> str:
    """All that a program says; fails if the program does."""
    process = await start(line, folder, **env)
    said, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode == 0, said.decode()
    return said.decode()


@asynccontextmanager
async def serving(line: str, folder: Path, **env: str) -> AsyncIterator[str]:
    """The address of a program that serves while the block runs, and then ends well."""
    process = await start(line, folder, **env)
    try:
        yield await asyncio.wait_for(_address(process), PATIENCE)
    finally:
        process.send_signal(signal.SIGTERM)
        said, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode in (0, -signal.SIGTERM), said.decode()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    said = ""
    async for line in process.stdout:
        said += line.decode()
        if found := URL.search(said):
            return found[0]
    raise AssertionError(said)
