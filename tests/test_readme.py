"""What the README shows is what happens."""

import ast
import asyncio
import json
import os
import re
import shlex
import signal
import sys
import tomllib
from pathlib import Path

import aiohttp
import pytest

from tests.packages import installed

README = Path(__file__).parent.parent / "README.md"


def blocks(language: str) -> list[str]:
    """The code blocks of this language, in their order."""
    return re.findall(rf"```{language}\n(.*?)```", README.read_text("utf-8"), re.DOTALL)


def file(name: str) -> str:
    """The file that is shown under this name."""
    [shown] = [block for block in blocks(r"\w+") if block.startswith(f"# {name}\n")]
    return shown


def session(command: str) -> list[str]:
    """The lines that are typed and answered where this command is shown."""
    [shown] = [block for block in blocks("console") if command in block]
    return shown.splitlines()


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with the README's modules in it, and nothing else."""
    for name in ("tasks.py", "shop.py"):
        (tmp_path / name).write_text(file(name))
    return tmp_path


async def start(line: str, folder: Path, **env: str) -> asyncio.subprocess.Process:
    """A command line of the README, in a folder without any settings."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith("WINDLASS_")}
    bare.pop("DATABASE_URL", None)
    program, *words = shlex.split(line.removeprefix("$ ").removesuffix("&"))
    return await asyncio.create_subprocess_exec(
        Path(sys.executable).with_name(program),
        *words,
        cwd=folder,
        env={**bare, **env},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )


async def test_the_first_minute_works_as_it_is_shown(shop: Path) -> None:
    _, work, enqueue, answer = session("enqueue welcome")

    worker = await start(work, shop)
    said, _ = await (await start(enqueue, shop)).communicate()
    worker.send_signal(signal.SIGTERM)
    code = await worker.wait()

    assert said.decode().strip() == answer
    assert code == 0
    assert (shop / ".windlass" / "windlass.db").exists()


async def test_a_function_and_a_class_are_types_as_it_is_shown(shop: Path) -> None:
    work, count, counted, ship, shipped = session("enqueue ship")

    worker = await start(work, shop)
    told = [await answered(line, shop) for line in (count, ship)]
    worker.send_signal(signal.SIGTERM)
    await worker.wait()

    assert told == [counted, shipped]


async def test_a_package_brings_a_type_as_it_is_shown(tmp_path: Path) -> None:
    project = tomllib.loads(file("pyproject.toml"))["project"]
    brought = project["entry-points"]["windlass.executors"]
    entries = "\n".join(f"{type_} = {place}" for type_, place in brought.items())
    site = tmp_path / "site"
    site.mkdir()
    installed(site, project["name"], entries, {"acme_jobs": file("acme_jobs.py")})
    work, enqueue, answer = session("enqueue shout")

    worker = await start(work, tmp_path, PYTHONPATH=str(site))
    told = await answered(enqueue, tmp_path)
    worker.send_signal(signal.SIGTERM)
    await worker.wait()

    assert told == answer


async def answered(line: str, folder: Path) -> str:
    """What a command line answers."""
    said, _ = await (await start(line, folder)).communicate()
    return said.decode().strip()


async def test_the_service_answers_as_it_is_shown(tmp_path: Path) -> None:
    up, submit, answer, *reads = session("add_numbers")
    shown = json.loads(answer)

    service = await start(f"{up} --port 0 --json", tmp_path)
    try:
        url = await told_url(service)
        job = json.loads(await curl(submit, url))
        told = [await curl(line.replace(shown["id"], job["id"]), url) for line in reads]
    finally:
        service.send_signal(signal.SIGTERM)
        await service.communicate()

    assert job.keys() == shown.keys()
    assert job["status"] == shown["status"]
    assert [json.loads(one).keys() >= {"status"} for one in told[:2]] == [True, True]
    assert sum(json.loads(told[2]).values()) == 1


async def told_url(service: asyncio.subprocess.Process) -> str:
    """Where the service says that it is."""
    assert service.stdout is not None
    return str(json.loads(await service.stdout.readuntil(b"}\n"))["url"])


async def curl(line: str, url: str) -> bytes:
    """What a line for curl is answered with, at this address; curl itself may not be here."""
    _, address, *words = shlex.split(line.removeprefix("$ "))
    said = dict(zip(words[::2], words[1::2], strict=True))
    name, _, value = said.get("-H", "Accept: */*").partition(": ")
    async with (
        aiohttp.ClientSession(headers={name: value}) as client,
        client.request(
            "POST" if "-d" in said else "GET",
            address.replace("http://127.0.0.1:8080", url),
            data=said.get("-d"),
        ) as answer,
    ):
        assert answer.ok
        return await answer.read()


def test_every_python_block_can_be_read() -> None:
    for block in blocks("python"):
        compile(block, "README.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
