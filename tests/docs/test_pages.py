"""What the documentation shows is what happens."""

import re
from pathlib import Path

import pytest

from tests.docs.page import ROOT, TOLD, blocks, pages
from tests.docs.reference.__main__ import stale
from tests.docs.story import told

WITH = re.compile(r"<!-- with: (\w+) -->")
SHOWN = [page for page in pages() if any(one.language in TOLD for one in blocks(page.read_text()))]
NAMES = [str(page.relative_to(ROOT)) for page in SHOWN]


@pytest.mark.timeout(180)  # programs are started one after the other, also on a busy machine
@pytest.mark.parametrize("page", SHOWN, ids=NAMES)
async def test_a_page_shows_what_happens(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    text = page.read_text("utf-8")
    env = {}
    if "postgres" in WITH.findall(text):
        env["WINDLASS_STORE"] = str(request.getfixturevalue("postgres_url"))

    async with told(tmp_path, blocks(text), **env):
        pass


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_every_block_says_what_it_is(page: Path) -> None:
    text = page.read_text("utf-8")

    assert all(one.language for one in blocks(text))
    assert text.count("\n```") == 2 * len(blocks(text))


def test_pages_made_from_the_code_are_fresh() -> None:
    assert stale() == []
