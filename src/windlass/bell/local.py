"""The bell of the embedded store: an event in the process, datagrams between processes."""

from __future__ import annotations

import asyncio
import hashlib
import os
import socket
import stat
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from windlass.bell import words as wire
from windlass.bell.base import EVERY, NEAR, Ear, in_public
from windlass.bell.inbox import Inbox
from windlass.bell.outbox import QUIET
from windlass.clock import Chance, Clock
from windlass.core.herald import Herald
from windlass.observe.events import BellLost, BellRung, Observer
from windlass.running import running_loop

# The system refuses longer socket paths: 108 bytes on Linux, 104 on macOS, with a zero at the end.
MAX_PATH = 100
NAME_LENGTH = 12
# How long who rings may go by what it last saw in the folder. Who has just begun to listen may be
# overlooked as long, so it wakes by itself after twice that time.
SEEN = 0.01


class LocalBell:
    """Rings the ears of this object directly, and those of other processes by unix datagrams.

    Each ear binds a socket of its own in the folder; who rings sends to every socket there and
    removes those that nobody reads any more. Without a folder it rings in this process only.
    """

    def __init__(
        self, folder: Path | None, *, clock: Clock, chance: Chance, observer: Observer
    ) -> None:
        """Take the folder beside the database; it is made when somebody listens."""
        self._folder = _short(folder) if folder else None
        self._clock = clock
        self._chance = chance
        self._observer = observer
        self._observed = bool(observer)
        self._ears: dict[Inbox, asyncio.AbstractEventLoop] = {}
        self._own: set[str] = set()
        self._neighbours: Sequence[Path] = ()
        self._looked = -SEEN
        self._quiet_from = 0.0

    async def ring(self, words: Sequence[str], jobs: int = 1) -> None:  # noqa: ARG002
        """Wake the ears of this process and of its neighbours."""
        if words:
            self._quiet_from = self._clock.monotonic() + QUIET
            self.ring_here(words)

    def ring_here(self, words: Sequence[str]) -> None:
        """The same for a thread without an event loop."""
        for ear, loop in list(self._ears.items()):
            _tell(ear, loop, words)
        neighbours = self._seen(self._folder) if self._folder else ()
        if neighbours:
            _send_to(neighbours, wire.encode(words))
        if self._observed:
            self._observer.on(BellRung(in_public(words)))

    def herald(self, words: Sequence[str]) -> Herald | None:  # noqa: ARG002
        """One without a channel, if it did not ring lately: here a ring follows the commit."""
        return Herald() if self._clock.monotonic() >= self._quiet_from else None

    @asynccontextmanager
    async def listen(self, name: str | None = None) -> AsyncIterator[Ear]:
        """Hear this process, and its neighbours if the folder can be used."""
        ear = Inbox()
        self._ears[ear] = asyncio.get_running_loop()
        try:
            with self._socket(ear) as reached:
                if reached and name is not None:
                    ear.hear([NEAR])
                yield ear
        finally:
            del self._ears[ear]

    async def close(self) -> None:
        """Nothing is pending: a ring is sent before `ring` returns."""

    def _seen(self, folder: Path) -> Sequence[Path]:
        """The sockets of others; to look for them at each ring would cost more than to ring."""
        now = self._clock.monotonic()
        if now - self._looked >= SEEN:
            # Noted before looking: what comes meanwhile may be overlooked no longer than promised.
            self._looked, self._neighbours = now, self._look(folder)
        return self._neighbours

    def _look(self, folder: Path) -> Sequence[Path]:
        try:
            return [path for path in folder.iterdir() if path.name not in self._own]
        except OSError:
            return ()  # nobody listens, or nobody may

    @contextmanager
    def _socket(self, ear: Inbox) -> Iterator[bool]:
        """Whether everybody who rings is heard."""
        if self._folder is None:
            yield True
            return
        path = self._folder / self._chance.token().replace("-", "")[:NAME_LENGTH]
        try:
            receiver = _bind(path)
        except OSError as error:
            # Polling does without: neighbours are heard a second later.
            self._observer.on(BellLost(f"no socket beside the database: {error}"))
            yield False
            return
        with receiver:
            yield from self._attend(receiver, path, ear)

    def _attend(self, receiver: socket.socket, path: Path, ear: Inbox) -> Iterator[bool]:
        loop = asyncio.get_running_loop()
        self._own.add(path.name)
        loop.add_reader(receiver, _receive, receiver, ear)
        overlooked = loop.call_later(2 * SEEN, ear.hear, [EVERY])
        try:
            yield True
        finally:
            overlooked.cancel()
            loop.remove_reader(receiver)
            self._own.discard(path.name)
            path.unlink(missing_ok=True)


def _tell(ear: Inbox, loop: asyncio.AbstractEventLoop, words: Sequence[str]) -> None:
    if loop is running_loop():
        ear.hear(words)
        return
    with suppress(RuntimeError):  # its loop has ended, and nobody hears it any more
        loop.call_soon_threadsafe(ear.hear, words)


def _send_to(paths: Sequence[Path], message: bytes) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.settimeout(0)
        for path in paths:
            _send(sender, message, path)


def _send(sender: socket.socket, message: bytes, path: Path) -> None:
    try:
        sender.sendto(message, str(path))
    except ConnectionRefusedError:
        path.unlink(missing_ok=True)  # its owner is dead
    except OSError:
        return  # gone meanwhile, or so full of rings that it will wake anyway


def _receive(receiver: socket.socket, ear: Inbox) -> None:
    with suppress(BlockingIOError):
        while True:
            ear.hear(wire.decode(receiver.recv(wire.MAX_BYTES)))


def _bind(path: Path) -> socket.socket:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _insist_on_privacy(path.parent)
    receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        receiver.settimeout(0)
        receiver.bind(str(path))
    except OSError:
        receiver.close()
        raise
    return receiver


def _insist_on_privacy(folder: Path) -> None:
    """Refuse a folder that somebody else made at a path we can be foreseen to use."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to somebody else")
    folder.chmod(0o700)


def _short(folder: Path) -> Path:
    folder = folder.absolute()
    if len(os.fsencode(folder)) + 1 + NAME_LENGTH <= MAX_PATH:
        return folder
    import tempfile  # noqa: PLC0415 - only for long paths

    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"windlass-{os.getuid()}-{digest}"
