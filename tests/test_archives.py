"""What is handed out: an sdist, and the wheel that is built from it; all of it, and no more."""

import re
import shutil
import subprocess
import sys
import tarfile
from email import message_from_string
from email.message import Message
from pathlib import Path, PurePosixPath
from typing import Any

import httpx2
import pytest

from hatch_build import alone
from tests.examples.programs import serving

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src"
BUILD = """
import sys
from hatchling import build
print(*build.get_requires_for_build_wheel())
build.build_wheel(sys.argv[1])
"""
LEFTOVERS = {"__pycache__", "node_modules", ".cache", ".env", ".venv", ".windlass", "dist"}
# Python knows it since 3.11.4, and complains without it since 3.12.
SAFELY: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
FETCHED = re.compile(r'(?:src|href)="(\./[^"]+)"')


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that an sdist of this checkout unpacks to."""
    folder = tmp_path_factory.mktemp("sdist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [archive] = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, **SAFELY)  # noqa: S202 — it is our own
    return folder / archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def wheel(sdist: Path) -> Path:
    """The folder that the wheel unpacks to: built from the sdist, with nothing to build it by."""
    command = [sys.executable, "-c", BUILD, str(sdist.parent)]
    asked = subprocess.run(command, cwd=sdist, check=True, capture_output=True, text=True)
    assert asked.stdout.split() == [], "the dashboard is to be built again"
    [archive] = sdist.parent.glob("*.whl")
    shutil.unpack_archive(archive, sdist.parent / "wheel", "zip")
    return sdist.parent / "wheel"


def files(folder: Path) -> set[str]:
    """The files in it, but for what Python has compiled."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in found if "__pycache__" not in path.parts}


def about(wheel: Path) -> Message:
    """What the wheel says of itself."""
    [told] = wheel.glob("*.dist-info/METADATA")
    return message_from_string(told.read_text("utf-8"))


def test_an_sdist_has_what_it_takes_and_nothing_that_was_left_around(sdist: Path) -> None:
    held = files(sdist)

    assert {"LICENSE", "README.md", "pyproject.toml", "hatch_build.py", "script/test"} <= held
    assert files(PACKAGE) <= {name.removeprefix("src/") for name in held}
    assert not [name for name in held if LEFTOVERS & {*PurePosixPath(name).parts}]


def test_a_wheel_from_the_sdist_has_the_whole_package(wheel: Path) -> None:
    held = files(wheel)

    package = {name for name in held if name.startswith("windlass/")}
    beside = {PurePosixPath(name).name for name in held - package}
    assert package == files(PACKAGE)
    assert beside == {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "LICENSE"}


async def test_a_wheel_serves_its_dashboard(wheel: Path, tmp_path: Path) -> None:
    program = "python -m windlass up --port 0"

    async with (
        serving(program, tmp_path, PYTHONPATH=str(wheel)) as url,
        httpx2.AsyncClient(base_url=f"{url}/ui/", timeout=30) as web,
    ):
        page = await web.get("")
        fetched = [await web.get(link) for link in FETCHED.findall(page.text)]

    assert len(fetched) > 1
    assert {answer.status_code for answer in fetched} == {200}


def test_the_page_of_the_package_leads_nowhere_that_is_not_there(wheel: Path) -> None:
    page = str(about(wheel).get_payload())

    assert page.startswith("# Windlass\n")
    assert "](docs/" not in page
    assert about(wheel)["Description-Content-Type"] == "text/markdown"


def test_links_that_lead_out_stay_and_others_become_their_words() -> None:
    shown = '![A ship](docs/ship.png)\n\n| <img alt="A mast" src="docs/mast.png"> |'
    text = f"Ask [us](docs/us.md) or [them](https://a.example).\n\n{shown}\n\nEnd.\n"

    assert alone(text) == "Ask us or [them](https://a.example).\n\nEnd.\n"
