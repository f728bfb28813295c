"""Progress, log lines and files of attempts: kept in batches, and before the attempt is settled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Iterable

from msgspec import Struct, field

from windlass.clock import Chance, Clock
from windlass.core.claim import Claim
from windlass.core.errors import BadInput
from windlass.observe.events import ChoreFailed, Observer
from windlass.store.base import Store
from windlass.store.records import Kept, LogLine, Progress
from windlass.worker.persist import AWAY, Patience, Unfit, ask
from windlass.worker.wording import message_text

PROGRESS_EVERY = 0.5  # seconds, for each attempt
MAX_LINES = 1_000  # for each attempt
MAX_UNKEPT = 64 * 1024 * 1024  # bytes of files that one attempt may have waiting
# Lines that come one by one are gathered for this long: people read them, nobody waits for them.
GATHER = 0.1


class Page(Struct):
    """What one attempt has said and the store has not kept yet."""

    claim: Claim
    progress: Progress | None = None
    progress_due: float = 0.0
    lines: list[LogLine] = field(default_factory=list)
    said: int = 0
    files: list[Kept] = field(default_factory=list)


class _Batch(Struct):
    progress: list[Progress] = field(default_factory=list)
    lines: list[LogLine] = field(default_factory=list)
    files: list[tuple[Claim, Kept]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.progress or self.lines or self.files)


class Notes:
    """Takes notes from any thread, and keeps them from the event loop it was made on."""

    def __init__(self, *, store: Store, clock: Clock, chance: Chance, observer: Observer) -> None:
        """Begin with nothing said."""
        self._store = store
        self._clock = clock
        self._observer = observer
        self._patience = Patience(chance)
        self._pages: dict[tuple[str, int], Page] = {}
        self._lock = threading.Lock()
        self._keeping = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        # Whether it is no use to wait for a store that is away.
        self.hopeless: Callable[[], bool] = lambda: False

    # --- said by handlers, on any thread ----------------------------------------------------------

    def progress(self, claim: Claim, fraction: float, message: str | None) -> None:
        """Take note of how far an attempt has come; a newer note replaces one not kept yet."""
        said = Progress(
            job=claim.id,
            fence=claim.fence,
            fraction=fraction,
            message=None if message is None else message_text(message),
        )
        with self._lock:
            self._page(claim).progress = said
        self._stir()

    def line(self, claim: Claim, level: str, message: str) -> None:
        """Take a log line; the last one allowed says that there are no more."""
        with self._lock:
            page = self._page(claim)
            page.said += 1
            if page.said > MAX_LINES:
                return
            if page.said == MAX_LINES:
                level, message = "warning", f"no more than {MAX_LINES:,} lines are kept"
            page.lines.append(
                LogLine(
                    job=claim.id,
                    fence=claim.fence,
                    number=page.said,
                    level=level,
                    message=message_text(message),
                )
            )
        self._stir()

    def keep(self, claim: Claim, file: Kept) -> None:
        """Take a file."""
        with self._lock:
            page = self._page(claim)
            waiting = sum(len(other.content) for other in page.files)
            if waiting + len(file.content) > MAX_UNKEPT:
                raise BadInput(
                    f"files come faster than they can be stored: {waiting:,} bytes of this attempt"
                    f" wait already, over the limit of {MAX_UNKEPT:,}"
                )
            page.files.append(file)
        self._stir()

    def _page(self, claim: Claim) -> Page:
        key = (claim.id, claim.fence)
        page = self._pages.get(key)
        if page is None:
            page = self._pages[key] = Page(claim)
        return page

    def _stir(self) -> None:
        if not self._news.is_set():
            self._loop.call_soon_threadsafe(self._news.set)

    # --- kept by the worker, on its loop ----------------------------------------------------------

    async def run(self) -> None:
        """Keep what is said, as it is said, until cancelled."""
        while True:
            await self._news.wait()
            await asyncio.sleep(GATHER)
            self._news.clear()
            await self.flush()
            wait = self._next_progress()
            if wait is not None:
                self._loop.call_later(wait, self._news.set)

    async def flush(self, ending: Collection[Claim] = ()) -> None:
        """Keep what is due, and everything that the attempts about to end have said."""
        if not self._pages:
            return
        async with self._keeping:
            with self._lock:
                batch = self._take(ending)
            await self._keep(batch)

    def have(self, claim: Claim) -> bool:
        """Whether the attempt has said anything, kept by now or not."""
        return (claim.id, claim.fence) in self._pages

    def forget(self, ended: Iterable[Claim]) -> None:
        """Drop the pages of attempts that are over."""
        if not self._pages:
            return
        with self._lock:
            for claim in ended:
                self._pages.pop((claim.id, claim.fence), None)

    def _take(self, ending: Collection[Claim]) -> _Batch:
        now = self._clock.monotonic()
        last = {(claim.id, claim.fence) for claim in ending}
        batch = _Batch()
        for key, page in self._pages.items():
            if page.progress and (key in last or now >= page.progress_due):
                batch.progress.append(page.progress)
                page.progress = None
                page.progress_due = now + PROGRESS_EVERY
            batch.lines += page.lines
            batch.files += [(page.claim, file) for file in page.files]
            page.lines, page.files = [], []
        return batch

    def _next_progress(self) -> float | None:
        with self._lock:
            due = [page.progress_due for page in self._pages.values() if page.progress]
        return max(min(due) - self._clock.monotonic(), 0.0) if due else None

    async def _keep(self, batch: _Batch) -> None:
        while batch:
            try:
                await ask(self._send(batch))
            except AWAY as away:
                self._observer.on(ChoreFailed("notes", str(away), away=True))
                if self.hopeless():
                    return
                await self._patience.pause()
                continue
            except Unfit as unfit:
                # A note is not worth an attempt: it is dropped, and the log says so.
                self._observer.on(ChoreFailed("notes", str(unfit)))
            self._patience.reset()
            return

    async def _send(self, batch: _Batch) -> None:
        if batch.progress or batch.lines:
            await self._store.note(batch.progress, batch.lines)
            batch.progress, batch.lines = [], []
        while batch.files:
            claim, file = batch.files[0]
            await self._store.keep(claim.id, claim.fence, file)
            del batch.files[0]
