"""The site is whole, and asks nobody else for anything."""

import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.page import ROOT

FETCHED = re.compile(r"<(?:script|img|iframe|source)[^>]*\ssrc=\"?(https?:[^\"\s>]+)")
LED_TO = re.compile(r"<(?:a|img)\b[^>]*\s(?:href|src)=\"?([^\"\s>]+)")
PLACE = re.compile(r"\sid=\"?([^\"\s>]+)")
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


def test_every_link_leads_to_a_page_and_to_a_place_on_it(site: Path) -> None:
    pages = {page.resolve(): page.read_text("utf-8") for page in site.rglob("*.html")}
    places = {page: {*PLACE.findall(text)} for page, text in pages.items()}

    lost = [
        f"{page.name}: {link}"
        for page, text in pages.items()
        if page.name != "404.html"  # it is served in the place of any other
        for link in LED_TO.findall(text)
        if not leads_somewhere(page, link, places)
    ]

    assert lost == []


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text("utf-8")

    told = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}

    assert told == set(re.findall(r"[\w/-]+\.md$", menu, re.MULTILINE))


def leads_somewhere(page: Path, link: str, places: dict[Path, set[str]]) -> bool:
    """Whether it is somebody else's, or a file of ours with such a place on it."""
    to = urlsplit(unescape(link))
    if to.scheme or to.netloc:
        return True
    file = (page.parent / unquote(to.path)).resolve() if to.path else page
    if not to.fragment or file not in places:
        return file.exists()
    return unquote(to.fragment) in places[file]
