"""The services of compose.yaml as processes of this machine, with their commands and variables."""

import asyncio
import json
import os
import shlex
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from tests.cli.standing import START
from tests.deployment.compose import ROOT, services
from tests.waiting import until

PATIENCE = 50.0
# As the image sets them.
OF_THE_IMAGE = {"WINDLASS_HOST": "0.0.0.0", "WINDLASS_PORT": "0", "PYTHONUNBUFFERED": "1"}  # noqa: S104 - behind Docker's own door
# What a machine may have set for itself.
OURS = ("WINDLASS_", "POSTGRES_", "REDIS_", "DATABASE_URL", "API_PORT")


class Container:
    """One service, running."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, folder: Path) -> None:
        self.name = name
        self.process = process
        self._folder = folder

    @property
    def out(self) -> str:
        """What it said to people."""
        return (self._folder / f"{self.name}.out").read_text()

    def lines(self) -> list[dict[str, Any]]:
        """Its log."""
        found = []
        for line in (self._folder / f"{self.name}.err").read_text().splitlines():
            with suppress(ValueError):
                found.append(json.loads(line))
        return found

    def said(self, message: str) -> list[dict[str, Any]]:
        """The log lines with this message."""
        return [line for line in self.lines() if line["msg"] == message]

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop, and wait for that."""
        with suppress(ProcessLookupError):
            self.process.send_signal(number)
        return await asyncio.wait_for(self.process.wait(), PATIENCE)


class Compose:
    """What `docker compose up` has started."""

    def __init__(self, folder: Path, store: str, redis: str, said: Mapping[str, str]) -> None:
        self.folder = folder
        self.services = services(said)
        self.containers: dict[str, Container] = {}
        self._here = parts("POSTGRES", store) | parts("REDIS", redis)
        self._here |= {
            "POSTGRES_DB": urlsplit(store).path[1:],
            "REDIS_DB": urlsplit(redis).path[1:],
        }

    @property
    def url(self) -> str:
        """Where the API is."""
        said = self.containers["api"].said("http server listening")
        return str(said[0]["url"]).replace("127.0.0.1", "localhost")

    def environment(self, name: str) -> dict[str, str]:
        """The variables of a service; its neighbours are on this machine instead of a network."""
        bare = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
        smtp = self.containers["api"].out if "api" in self.containers else ""
        mail = {"WINDLASS_SMTP_URL": mail_of(smtp)} if smtp else {}
        return {**bare, **OF_THE_IMAGE, **self.services[name]["environment"], **self._here, **mail}

    async def run(self, name: str) -> Container:
        """Start a service, by its own command."""
        # Ports of this machine may be taken: any will do.
        words = [word.replace(":1025", ":0").replace(":9090", ":0") for word in self.command(name)]
        said = ["--json"] if name == "api" else []
        with (
            (self.folder / f"{name}.out").open("wb") as out,
            (self.folder / f"{name}.err").open("wb") as err,
        ):
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", START, *words, *said),
                cwd=self.folder,
                env=self.environment(name),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
        self.containers[name] = Container(name, process, self.folder)
        return self.containers[name]

    def command(self, name: str) -> Sequence[str]:
        """What a service runs."""
        command: list[str] = self.services[name]["command"]
        return command

    async def up(self) -> None:
        """Start what has to be, in order."""
        migrated = await self.run("migrate")
        assert await migrated.process.wait() == 0, (self.folder / "migrate.err").read_text()
        api = await self.run("api")
        await until(lambda: api.out, at_most=PATIENCE)
        for worker in [await self.run(name) for name in ("worker-1", "worker-2")]:
            await until(partial(worker.said, "worker started"), at_most=PATIENCE)

    async def curl(self, line: str) -> Any:
        """What a line for curl is answered with; curl itself may not be here."""
        words = shlex.split(line.replace("\\\n", " "))[1:]
        method, headers, body, url = "GET", {}, None, ""
        while words:
            match words.pop(0):
                case "-X":
                    method = words.pop(0)
                case "-H":
                    name, _, value = words.pop(0).partition(": ")
                    headers[name] = value
                case "-d":
                    body, method = words.pop(0), "POST"
                case address:
                    url = address.replace("http://localhost:8080", self.url)
        async with (
            aiohttp.ClientSession(headers=headers) as client,
            client.request(method, url, data=body) as answer,
        ):
            text = await answer.text()
            assert answer.ok, (answer.status, text)
            return json.loads(text) if "json" in answer.content_type else text

    async def finished(self, job: str) -> dict[str, Any]:
        """The job, once it is over."""
        found: dict[str, Any] = {}

        async def over() -> bool:
            found.update(await self.curl(f"curl http://localhost:8080/jobs/{job}"))
            return found["status"] in ("completed", "failed")

        await until(over, at_most=PATIENCE, every=0.05)
        return found

    async def down(self) -> None:
        """Leave nothing behind."""
        running = [one for one in self.containers.values() if one.process.returncode is None]
        await asyncio.gather(*(container.stop() for container in running))


@asynccontextmanager
async def composed(folder: Path, store: str, redis: str, **said: str) -> AsyncIterator[Compose]:
    """Everything that `docker compose up` starts, while the block runs."""
    compose = Compose(folder, store, redis, said)
    try:
        await compose.up()
        yield compose
    finally:
        await compose.down()


def parts(what: str, url: str) -> dict[str, str]:
    """An address in the variables of its image."""
    place = urlsplit(url)
    said = {
        "HOST": place.hostname,
        "PORT": place.port,
        "USER": place.username,
        "PASSWORD": place.password,
        "DB": place.path[1:],
    }
    return {f"{what}_{part}": str(value or "") for part, value in said.items()}


def mail_of(said: str) -> str:
    """Where the API takes mail, as it told; workers reach it by this machine's own name."""
    return str(json.loads(said)["smtp"]).replace("0.0.0.0", "127.0.0.1")  # noqa: S104


def healthy(url: str) -> list[str]:
    """The command by which Docker asks whether a container is well."""
    return [sys.executable, str(ROOT / "deploy/docker/healthy"), url]
