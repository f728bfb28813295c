"""A package that is installed brings its type to every worker, as docs/jobs.md shows."""

import tomllib
from pathlib import Path

from tests.docs.page import ROOT, blocks
from tests.docs.story import Story
from tests.packages import installed


async def test_a_package_brings_a_type_as_it_is_shown(tmp_path: Path) -> None:
    page = blocks((ROOT / "docs" / "jobs.md").read_text("utf-8"))
    files = {block.file: block.text for block in page if block.file}
    [session] = [block for block in page if "enqueue shout" in block.text]
    project = tomllib.loads(files["pyproject.toml"])["project"]
    brought = project["entry-points"]["windlass.executors"].items()
    entries = "\n".join(f"{type_} = {place}" for type_, place in brought)
    site = tmp_path / "site"
    site.mkdir()
    installed(site, project["name"], entries, {"acme_jobs": files["acme_jobs.py"]})

    async with Story(tmp_path, PYTHONPATH=str(site)) as story:
        await story.tell(session)
