"""A side with a fresh store: what it can be asked, its workers, and what its jobs wrote down."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers.crew import Crew, SideFailed, crew
from benchmarks.peers.environment import last_line
from benchmarks.peers.header import Header
from benchmarks.peers.places import Place, place
from benchmarks.peers.records import Records
from benchmarks.program import ROOT
from tests.services import PostgresServer
from windlass.worker.birth import die_with_parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Everything about one side for the time of one measure."""

    header: Header
    programs: Path
    folder: Path
    place: Place
    env: Mapping[str, str]
    records: Records

    async def ask(self, *words: str) -> dict[str, Any]:
        """Run the side's own program, and answer with what it says; see `side.py`."""
        process = await asyncio.create_subprocess_exec(
            *(str(self.programs / "python"), "-m", "benchmarks.peers", self.header.side, *words),
            env={**os.environ, **self.env},
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            preexec_fn=die_with_parent,
        )
        try:
            answer, said = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
        if process.returncode:
            raise SideFailed(f"{words[0]} failed: {last_line(said)}")
        return dict(json.loads(answer.splitlines()[-1]))

    @asynccontextmanager
    async def crew(self) -> AsyncIterator[Crew]:
        """Its workers, killed afterwards: nobody needs the store any more."""
        running = await self.workers()
        try:
            yield running
        finally:
            await running.kill()

    async def workers(self) -> Crew:
        """Its workers, for whoever ends them."""
        header = self.header
        commands = [self._filled(header.worker, number) for number in range(header.workers)]
        if header.beside:
            commands.append(self._filled(header.beside, 0))
        return await crew(commands, self.env, self.folder)

    def cpu(self, crew: Crew) -> float:
        """Seconds that its workers and servers have worked so far."""
        return crew.cpu() + self.place.cpu()

    async def expect(self, count: int, crew: Crew) -> None:
        """Wait until so many records are there, or nothing comes any more."""
        await self.records.reach(count, crew.check)

    def _filled(self, command: tuple[str, ...], number: int) -> list[str]:
        words = {
            "bin": str(self.programs),
            "python": str(self.programs / "python"),
            "number": str(number + 1),
        }
        return [_with(part, words) for part in command]


@asynccontextmanager
async def stage(
    header: Header, programs: Path, postgres: PostgresServer, within: Path
) -> AsyncIterator[Stage]:
    """A side with a fresh store, removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix=f"{header.side}-", dir=within))
    try:
        with place(header.store, postgres, folder) as found:
            log = folder / "records"
            yield Stage(
                header=header,
                programs=programs,
                folder=folder,
                place=found,
                env=_environment(header, found, folder, log),
                records=Records(log),
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _environment(header: Header, found: Place, folder: Path, log: Path) -> dict[str, str]:
    words = {"store": found.store, "redis": found.redis}
    return {
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "",
        "REDIS_URL": "",
        "DATABASE_URL": "",
        "SIDE_STORE": found.store,
        "SIDE_REDIS": found.redis,
        "SIDE_FOLDER": str(folder),
        "SIDE_LOG": str(log),
        **{name: _with(value, words) for name, value in header.env.items()},
    }


def _with(text: str, words: Mapping[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(f"{{{word}}}", value)
    return text
