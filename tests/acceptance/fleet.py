"""Real nodes: started, frozen, killed and ended by their process ids, and read by their logs."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import psutil

from tests.acceptance.audit import Account, Audit, Evidence, account, audit
from tests.acceptance.books import Books
from tests.acceptance.grants import GRANTS
from tests.acceptance.jobs import BALLAST, LEDGER, Works
from tests.acceptance.ledger import Ledger
from tests.waiting import until
from windlass import Windlass
from windlass.core.job import NewJob

ROOT = Path(__file__).parents[2]
APP = "tests.acceptance.jobs:app"
# `windlass`, that ends with the tests however they end.
START = """
import ctypes, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
from windlass.cli import main
main()
"""


class Start(NamedTuple):
    """How a node is started."""

    code: str = START
    app: str = APP
    within: tuple[str, ...] = ()  # a program that runs it elsewhere, such as in a namespace
    environ: Mapping[str, str] = MappingProxyType({})


START_HERE = Start()


class Node:
    """A supervisor and its workers."""

    def __init__(
        self, folder: Path, name: str, environ: dict[str, str], start: Start = START_HERE
    ) -> None:
        self.log = folder / f"{name}.log"
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*start.within, sys.executable, "-c", start.code, "worker", "--app", start.app],
                cwd=folder,
                env={**surroundings(), **environ, **start.environ},
                stdin=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        self.pid = self._process.pid

    def workers(self) -> list[psutil.Process]:
        """Its worker processes, whatever they are about to be."""
        try:
            return psutil.Process(self.pid).children()
        except psutil.NoSuchProcess:
            return []

    def working(self) -> list[psutil.Process]:
        """Those of them that have begun to work."""
        begun = {line["pid"] for line in self.said("worker started")}
        return [worker for worker in self.workers() if worker.pid in begun]

    def family(self) -> list[psutil.Process]:
        """Its worker processes, and theirs."""
        return psutil.Process(self.pid).children(recursive=True)

    def said(self, message: str) -> list[dict[str, Any]]:
        """The log lines with this message."""
        return [line for line in self.lines() if line["msg"] == message]

    def lines(self) -> Iterator[dict[str, Any]]:
        """What it said, but for what Python says when it dies."""
        for line in self.log.read_text().splitlines():
            with suppress(ValueError):
                yield json.loads(line)

    def lost(self) -> set[str]:
        """The jobs of which it said that they were taken from it."""
        return {job for line in self.said("claims lost") for job in line["jobs"]}

    def handed_back(self) -> set[str]:
        """The jobs of which it said that it gave them up."""
        return {job for line in self.said("jobs handed back") for job in line["jobs"]}

    async def ready(self, workers: int = 1) -> None:
        """Wait until so many workers have begun."""
        await until(lambda: len(self.said("worker started")) >= workers)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the supervisor."""
        self._process.send_signal(number)

    def freeze(self, books: Books, *, supervisor_only: bool = False) -> None:
        """Stop it where it is, and its workers with it; not while one holds the only lock."""
        self.signal(signal.SIGSTOP)
        for worker in self.workers() if not supervisor_only else []:
            worker.suspend()
        if books.locked():
            self.thaw()
            self.freeze(books, supervisor_only=supervisor_only)

    def thaw(self) -> None:
        """Let all of it go on."""
        for worker in self.workers():
            worker.resume()
        self.signal(signal.SIGCONT)

    async def ended(self, at_most: float = 40) -> int:
        """Wait for its end."""
        return await asyncio.to_thread(self._process.wait, at_most)

    def kill(self) -> None:
        """End it at once, if it is there; its workers die with it."""
        self._process.kill()
        self._process.wait()


def surroundings() -> dict[str, str]:
    """The environment, without what somebody set for a windlass of their own; Redis is ours."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("WINDLASS_") or name == "WINDLASS_REDIS"
    }
    return {**kept, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}


class Site:
    """One store, the nodes that serve it, and all that bears witness of what they do."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.url = url
        self.app = Windlass(url)
        self.works = Works(self.app)
        self.books = Books(url)
        self.ledger = Ledger(folder / "ledger")
        self.grants = folder / "grants"
        self.nodes: list[Node] = []
        self.asked: set[str] = set()
        self.accepted: set[str] = set()
        self.doomed: set[str] = set()

    async def enqueue(self, *jobs: NewJob) -> None:
        """Ask for jobs, and remember which of them were accepted."""
        self.asked |= {job.id for job in jobs}
        self.accepted |= {answer.id for answer in await self.app.enqueue_many(jobs)}

    def node(self, *, ballast: int = 1, start: Start = START_HERE, **settings: object) -> Node:
        """Start a node, whose app has some ballast; settings as windlass knows them."""
        environ = {
            LEDGER: str(self.ledger.path),
            GRANTS: str(self.grants),
            BALLAST: str(ballast),
        }
        settings = {"store": self.url, **settings}
        environ |= {f"WINDLASS_{name.upper()}": str(value) for name, value in settings.items()}
        node = Node(self.folder, f"node-{len(self.nodes)}", environ, start)
        self.nodes.append(node)
        return node

    async def begun(self, starts: int, at_most: float = 40) -> None:
        """Wait until so many attempts have begun."""
        await until(lambda: len(self.ledger) >= starts, at_most=at_most)

    async def all_finished(self, stalled: float = 40) -> None:
        """Wait until no job is left that could run; fail if for so long none is finished."""
        now = asyncio.get_running_loop().time
        seen, since = -1, now()
        while left := self.books.live():
            if (finished := self.books.count_finished()) != seen:
                seen, since = finished, now()
            if now() > since + stalled:
                raise AssertionError(f"nothing finished within {stalled} s, and these wait: {left}")
            await asyncio.sleep(0.1)

    def audit(self) -> Audit:
        """What went wrong."""
        return audit(self.evidence())

    def account(self) -> Account:
        """What became of what was asked for, in figures."""
        return account(self.evidence())

    def evidence(self, books: Books | None = None) -> Evidence:
        """What callers, books and ledger know of the run."""
        books = books or self.books
        return Evidence(
            asked=frozenset(self.asked),
            accepted=frozenset(self.accepted),
            doomed=frozenset(self.doomed),
            finished=books.finished(),
            live=books.live_ids(),
            effects=books.effects(),
            counts=books.counts(),
            starts=self.ledger.entries(),
            ends=self.ledger.ends(),
        )

    async def close(self) -> None:
        """Leave nothing behind."""
        for node in self.nodes:
            node.kill()
        await self.app.close()


@asynccontextmanager
async def open_site(folder: Path, url: str, books: Books | None = None) -> AsyncIterator[Site]:
    """A site that leaves nobody behind; its auditor may have a way of its own to the store."""
    site = Site(folder, url)
    site.books = books or site.books
    try:
        await site.app.stats()  # an embedded store is made by whoever comes first
        site.books.open_effects()
        yield site
    finally:
        await site.close()
