"""A service as users start it: `windlass serve`, guarded by a secret and with its log on."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

import msgspec

from benchmarks.program import ROOT, Program, ProgramFailed, program, with_redis
from benchmarks.sites import Site

START_WITHIN = 30.0
LAST_WORDS = 2_000  # characters of a log
PORT = re.compile(rb"http://127.0.0.1:(\d+)")
SECRET = "a secret that guards nothing but this"  # noqa: S105


@dataclass(frozen=True, slots=True)
class Server:
    """A running service, and a token that may do everything there."""

    program: Program
    port: int
    token: str

    def request(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> bytes:
        """A request as it goes over the wire."""
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            f"Authorization: Bearer {self.token}",
            *(f"{name}: {value}" for name, value in (headers or {}).items()),
        ]
        if body is None:
            return _whole(lines)
        content = msgspec.json.encode(body)
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
        return _whole(lines) + content


@asynccontextmanager
async def serving(site: Site, redis: str | None = None) -> AsyncIterator[Server]:
    """A service on a free port."""
    env = {"WINDLASS_STORE": site.url, "WINDLASS_SECRET": SECRET, **with_redis(redis)}
    token = await _token(env)
    words = ("serve", "--app", "benchmarks.app:app", "--port=0", "--json")
    with tempfile.TemporaryFile() as log:
        async with program(*words, env=env, log=log.fileno(), heard=True) as running:
            yield Server(running, await _port(running, log), token)


def _whole(lines: list[str]) -> bytes:
    return "\r\n".join([*lines, "", ""]).encode()


async def _token(env: dict[str, str]) -> str:
    made = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "windlass.cli", "token", "--scope=admin"),
        env={**os.environ, **env},
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    told, _ = await made.communicate()
    if made.returncode:
        raise ProgramFailed(f"windlass token ended with {made.returncode}")
    return told.decode().strip()


async def _port(running: Program, log: BinaryIO) -> int:
    """The port that it says it listens on."""
    async with asyncio.timeout(START_WITHIN):
        while told := await running.line():
            if found := PORT.search(told):
                return int(found[1])
    log.seek(0)
    raise ProgramFailed(f"the service did not start: …{log.read().decode()[-LAST_WORDS:]}")
