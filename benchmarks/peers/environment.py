"""An environment of its own for each side, made once from exact versions."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
import venv
from pathlib import Path

from packaging.specifiers import SpecifierSet

from benchmarks.peers.header import Header
from benchmarks.sites import CACHE

PEERS = CACHE / "peers"
UV = CACHE / "uv" / "bin" / "uv"
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
    facts = "\n".join([header.requires_python, header.python, sys.executable, *header.dependencies])
    return hashlib.sha256(facts.encode()).hexdigest()


async def _make(header: Header, folder: Path) -> None:
    await _installer()
    await _run(UV, "venv", "--clear", "--python", _python(header), folder)
    python = folder / "bin" / "python"
    await _run(UV, "pip", "install", "--python", python, *header.dependencies)


def _python(header: Header) -> str:
    """The Python that runs this, so that all have the same, or else one that the side can use."""
    running = ".".join(map(str, sys.version_info[:3]))
    if running in SpecifierSet(header.requires_python):
        return sys.executable
    return header.python or header.requires_python


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
