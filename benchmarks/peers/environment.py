"""An environment of its own for each side, made once from exact versions."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

from packaging.specifiers import SpecifierSet

from benchmarks.peers.header import Header
from benchmarks.sites import CACHE

PEERS = CACHE / "peers"
UV = CACHE / "uv" / "bin" / "uv"
MINORS = range(11, 16)
MARK = "side"  # the file in an environment that says what it was made from


class NotInstalled(Exception):
    """The environment of a side cannot be made; the message is what the installer said last."""


async def programs(header: Header) -> Path:
    """Where the programs of a side are; makes its environment if it is not there yet."""
    if header.ours:
        return Path(sys.executable).parent
    folder = PEERS / header.side
    mark = folder / MARK
    if not mark.is_file() or mark.read_text("utf-8") != digest(header):
        await _make(header, folder)
        mark.write_text(digest(header), "utf-8")
    return folder / "bin"


def digest(header: Header) -> str:
    """What an environment depends on, in short."""
    facts = "\n".join([header.requires_python, sys.executable, *header.dependencies])
    return hashlib.sha256(facts.encode()).hexdigest()


async def _make(header: Header, folder: Path) -> None:
    await _installer()
    await _run(UV, "venv", "--clear", "--python", await _python(header), folder)
    python = folder / "bin" / "python"
    await _run(UV, "pip", "install", "--python", python, *header.dependencies)


async def _python(header: Header) -> str:
    """The Python that runs this, so that all have the same, or else one that the side can use."""
    wanted = SpecifierSet(header.requires_python)
    for candidate in pythons():
        if await _version(candidate) in wanted:
            return candidate
    raise NotInstalled(f"it needs Python {header.requires_python}")


def pythons() -> Iterator[str]:
    """Those of this machine, as far as they are where one would look; pyenv hides some."""
    yield sys.executable
    found = (shutil.which(f"python3.{minor}") for minor in MINORS)
    yield from filter(None, found)
    yield from map(str, sorted(Path.home().glob(".pyenv/versions/*/bin/python3")))


async def _version(python: str) -> str:
    """Which it is; a very old one if it does not run."""
    said = "import platform; print(platform.python_version())"
    process = await asyncio.create_subprocess_exec(
        *(python, "-c", said), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    answer, _ = await process.communicate()
    return answer.decode().strip() or "0"


async def _installer() -> None:
    """Have uv, as `script/lock` does."""
    if UV.exists():
        return
    folder = UV.parent.parent
    await asyncio.to_thread(venv.create, folder, with_pip=True)
    await _run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", "uv")


async def _run(*command: str | Path) -> None:
    """Run one step of the installation."""
    process = await asyncio.create_subprocess_exec(
        *command,
        env={**os.environ, "UV_PYTHON_DOWNLOADS": "never"},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate()
    if process.returncode:
        raise NotInstalled(last_line(said))


def last_line(said: bytes) -> str:
    """What a program said last, which is why it failed."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines()]
    return next((line for line in reversed(lines) if line), "it did not say why")
