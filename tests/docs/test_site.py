"""The site is whole, and asks nobody else for anything."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.page import ROOT

FETCHED = re.compile(r"<(?:script|img|iframe|source)[^>]*\ssrc=\"?(https?:[^\"\s>]+)")
LINKED = re.compile(r"<link[^>]*\shref=\"?(https?:[^\"\s>]+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built from a copy; a link that leads nowhere fails it."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(ROOT / "mkdocs.yml", folder)
    shutil.copytree(ROOT / "docs", folder / "docs")
    zensical = Path(sys.executable).with_name("zensical")
    command = [str(zensical), "build", "--strict"]
    built = subprocess.run(command, cwd=folder, check=False, capture_output=True)
    assert built.returncode == 0, built.stderr.decode()
    return folder / "built"


def test_every_page_is_there_and_fetches_nothing_from_elsewhere(site: Path) -> None:
    pages = {page: page.read_text("utf-8") for page in site.rglob("*.html")}

    assert {page.stem for page in (ROOT / "docs").glob("*.md")} <= {page.stem for page in pages}
    assert [*filter(None, map(FETCHED.findall, pages.values()))] == []
    assert [*filter(None, map(LINKED.findall, pages.values()))] == []


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text("utf-8")

    told = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}

    assert told == set(re.findall(r"[\w/-]+\.md$", menu, re.MULTILINE))
