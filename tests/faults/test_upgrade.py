"""An upgrade under load, and the way back: the program as it was before its newest migration."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import ROOT, START, Node, Site, Start, surroundings

STEPS = Path("src/windlass/store/migrations/postgres")
JOBS = 700  # in each of three phases
LOCKED_FOR = 1.0
# Asks for jobs without end, and tells what it asked for, what was accepted and how long it took.
FEEDER = """
import asyncio, itertools, time
from pathlib import Path
from tests.acceptance.jobs import Works
from windlass import Windlass

async def feed():
    app = Windlass({url!r})
    works = Works(app)
    async with app:
        for number in itertools.count(step=10):
            if Path({stop!r}).exists():
                return
            jobs = [works.rest.job(number + one, 0.005) for one in range(10)]
            print("asked", *(job.id for job in jobs), flush=True)
            began = time.monotonic()
            await app.enqueue_many(jobs)
            print("accepted", *(job.id for job in jobs), flush=True)
            print("took", time.monotonic() - began, flush=True)
            await asyncio.sleep(0.03)

asyncio.run(feed())
"""


class Release:
    """A version of the program, by where its source is."""

    def __init__(self, source: Path, folder: Path, url: str) -> None:
        self._within = ("env", f"PYTHONPATH={source / 'src'}:{ROOT}")
        self._folder = folder
        self._url = url
        self.start = Start(within=self._within)

    def run(self, *words: str) -> float:
        """Run a command of it; how long that took, in seconds."""
        began = time.monotonic()
        subprocess.run(
            [*self._within, sys.executable, "-c", START, *words],
            cwd=self._folder,
            env={**surroundings(), "WINDLASS_STORE": self._url},
            check=True,
            capture_output=True,
        )
        return time.monotonic() - began

    @contextmanager
    def feeding(self, site: Site) -> Iterator[Callable[[], list[float]]]:
        """Have it ask for jobs while the block runs; gives how long each request took so far."""
        said, stop = self._folder / "fed", self._folder / "stop"
        code = FEEDER.format(url=self._url, stop=str(stop))
        with said.open("w") as out:
            process = subprocess.Popen(
                [*self._within, sys.executable, "-c", code],
                cwd=self._folder,
                env=surroundings(),
                stdout=out,
                start_new_session=True,
            )
        try:
            yield lambda: [float(one) for one in told(said, "took")]
            stop.touch()
            assert process.wait(30) == 0
        finally:
            process.kill()
            process.wait()
        site.asked |= set(told(said, "asked"))
        site.accepted |= set(told(said, "accepted"))


@pytest.mark.timeout(240)
async def test_an_upgrade_and_the_way_back_lose_nothing(
    store_url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    site = Site(tmp_path, store_url)
    before, version = the_one_before(tmp_path / "before")
    old, new = Release(before, tmp_path, store_url), Release(ROOT, tmp_path, store_url)
    go_back = ("migrate", "down", "--yes", "--to", str(version))
    if store_url.startswith("sqlite"):
        old.run("migrate", "up")
    else:
        new.run(*go_back)  # the tests give out databases of the newest version
    site.books.open_effects()
    try:
        worker = site.node(start=old.start)
        await worker.ready()
        with old.feeding(site) as took:
            await site.begun(JOBS)
            up = new.run("migrate", "up")
            successor = site.node(start=new.start)
            await successor.ready()
            await site.enqueue(*(site.works.rest.job(number, 0.005) for number in range(JOBS)))
            await site.begun(3 * JOBS)
            stopped = await end(worker), await end(successor)
            down = new.run(*go_back)
            again = site.node(start=old.start)
            await again.ready()
            await site.begun(len(site.ledger) + JOBS)
            slowest = max(took())
        await site.all_finished()
    finally:
        await site.close()

    for name, figure in site.account()._asdict().items():
        record_property(name, figure)
    record_property("from and to version", f"{version} to {version + 1}")
    record_property("up and down took", f"{up:.1f} s and {down:.1f} s")
    record_property("slowest enqueue meanwhile", f"{slowest:.2f} s")
    assert site.audit() == Audit()
    assert stopped == (0, 0)
    assert site.account().repeated == 0
    assert slowest <= LOCKED_FOR


def the_one_before(folder: Path) -> tuple[Path, int]:
    """The source as it was before the newest migration, and the number of the one before."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.fail("the version before is taken from the history, and there is none here")
    newest = max(file.name for file in (ROOT / STEPS).glob("*.up.sql"))
    added = git("log", "--diff-filter=A", "--format=%H", "-1", "--", str(STEPS / newest)).strip()
    if not added:
        pytest.fail("the newest migration is not in the history yet: commit it first")
    folder.mkdir()
    archive = folder / "source.tar"
    git("archive", f"--output={archive}", f"{added}~", "src")
    shutil.unpack_archive(archive, folder, filter="data")
    return folder, int(newest[:4]) - 1


def git(*words: str) -> str:
    return subprocess.run(
        ["git", *words],  # noqa: S607
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


async def end(node: Node) -> int:
    """Ask a node to stop, and wait until it has."""
    node.signal(signal.SIGTERM)
    return await node.ended()


def told(said: Path, word: str) -> list[str]:
    """What the feeder said with this word, in whole lines."""
    lines = said.read_text().split("\n")[:-1]
    return [one for line in lines if line.startswith(f"{word} ") for one in line.split()[1:]]
