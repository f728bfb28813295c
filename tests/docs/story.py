"""Does what a page shows, from top to bottom, in a folder of its own."""

import asyncio
import json
import os
import re
import socket
import sys
import tomllib
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from tests.docs.page import Block, Command, commands
from tests.waiting import until

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
HERE = re.compile(r"(127\.0\.0\.1|localhost):8080")
FOREIGN = ("DATABASE_URL", "REDIS_URL", "API_PORT")
PATIENCE = 40.0
LOG = "beside.log"


class Story:
    """A folder without any settings, the programs that run there, and the ids that came up."""

    def __init__(self, folder: Path, **env: str) -> None:
        self.folder = folder
        self.ids: dict[str, str] = {}
        self._port = _free_port()
        self._env = {**_bare(), **env, "WINDLASS_PORT": str(self._port), "HOME": str(folder)}
        self._staying: list[Process] = []
        self._reader: Process | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for one in self._staying:
            _end(one)
        for one in self._staying:
            await one.wait()

    async def tell(self, block: Block) -> None:
        """Do what the block shows."""
        text = self._here(block.text)
        if block.file is not None:
            self._keep(block.file, text)
        match block.language:
            case "console":
                for command in commands(text):
                    await self._type(command)
            case "json":
                json.loads(text)
            case "python" if block.file is None:
                await self._read(text)
            case "toml":
                tomllib.loads(text)
            case "yaml":
                [*yaml.safe_load_all(text)]
            case _:
                pass  # for people to read

    def _here(self, text: str) -> str:
        """The text with the port that is free here, and with the ids that jobs really got."""
        text = HERE.sub(rf"\1:{self._port}", text)
        return ID.sub(lambda shown: self.ids.get(shown[0], shown[0]), text)

    def _keep(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    async def _type(self, command: Command) -> None:
        if command.elsewhere:
            return
        if command.stays:
            beside = await self._start(f"exec env {command.line.rstrip().removesuffix('&')}", LOG)
            self._staying.append(beside)
            if re.match(r"(\w+=\S+ )*windlass (up|serve)\b", command.line):
                await until(self._answers, PATIENCE)
            return
        program = await self._start(self._here(command.line))
        async with asyncio.timeout(PATIENCE):
            said, aside = (out.decode().rstrip("\n") for out in await program.communicate())
        assert (program.returncode == 0) is not command.fails, (
            f"$ {command.line}\n{said}\n{aside}\n{self._log()}"
        )
        if command.answer:
            self._compare(command, aside if command.fails else said)

    def _compare(self, command: Command, told: str) -> None:
        """An answer is as it is shown: … is anything, and ids are whatever they are."""
        shown = "\n".join(command.answer).rstrip()
        pattern = ID.sub("@ID@", shown)
        pattern = re.escape(pattern).replace("…", ".*").replace("@ID@", f"({ID.pattern})")
        found = re.fullmatch(pattern, told, re.DOTALL)
        assert found, f"$ {command.line}\nshown:\n{shown}\ntold:\n{told}"
        self.ids |= dict(zip(ID.findall(shown), found.groups(), strict=True))

    async def _start(self, line: str, log: str | None = None) -> Process:
        with (self.folder / (log or os.devnull)).open("ab") as file:
            return await asyncio.create_subprocess_exec(
                "/bin/sh", "-c", line,
                cwd=self.folder, env=self._env, start_new_session=True,
                stdout=PIPE if log is None else file, stderr=PIPE if log is None else file,
            )  # fmt: skip

    def _log(self) -> str:
        """What the programs beside have said."""
        file = self.folder / LOG
        return file.read_text() if file.exists() else ""

    async def _answers(self) -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            return False
        writer.close()
        await writer.wait_closed()
        return True

    async def _read(self, code: str) -> None:
        """Have a fragment run in the one program that runs those of this page."""
        if self._reader is None:
            self._reader = await asyncio.create_subprocess_exec(
                sys.executable, Path(__file__).with_name("fragments.py"),
                cwd=self.folder, env=self._env, stdin=PIPE, stdout=PIPE, start_new_session=True,
            )  # fmt: skip
            self._staying.append(self._reader)
        assert self._reader.stdin is not None
        assert self._reader.stdout is not None
        self._reader.stdin.write(json.dumps(code).encode() + b"\n")
        async with asyncio.timeout(PATIENCE):
            answer = await self._reader.stdout.readline()
        problem: str = json.loads(answer) if answer else "the program ended"
        assert not problem, f"{code}\n{problem}"


@asynccontextmanager
async def told(folder: Path, page: list[Block], **env: str) -> AsyncIterator[Story]:
    """The story of a page once it is told."""
    async with Story(folder, **env) as story:
        for block in page:
            if block.excuse is None:
                await story.tell(block)
        yield story


def _bare() -> dict[str, Any]:
    """The environment without settings; our programs are found first."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith("WINDLASS_")}
    for name in FOREIGN:
        bare.pop(name, None)
    return {**bare, "PATH": f"{Path(sys.executable).parent}:{bare['PATH']}", "COLUMNS": "100"}


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _end(program: Process) -> None:
    if program.returncode is None:
        program.terminate()
