"""What a supervisor and its worker processes say to each other, one line of JSON at a time."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from typing import Generic, TypeAlias, TypeVar

import msgspec

from windlass.config import Settings
from windlass.core.job import JobId, NodeId, WorkerId
from windlass.observe.relay import Told
from windlass.store.records import Standing
from windlass.worker.settings import WorkerSettings

# A process that reads nothing for so long is busy; what it would be told now it will see by itself.
FULL = 64 * 1024
# An event may name every job that a worker held.
LONGEST_LINE = 8 << 20


class Assignment(msgspec.Struct, frozen=True, tag=True):
    """Be this worker of this node; the first thing a process is told."""

    node: NodeId
    worker: WorkerId
    settings: WorkerSettings
    memory: int | None = None  # bytes it may take on top of the app
    counted: bool = False  # whether somebody wants to count what happens there
    listens: bool = False  # whether it hears the bell itself


class Ring(msgspec.Struct, frozen=True, tag=True):
    """Jobs may be waiting; unless `wide`, none that asks for threads."""

    wide: bool = True


class Cancel(msgspec.Struct, frozen=True, tag=True):
    """Somebody asked this attempt to stop."""

    job: JobId
    fence: int


class Learn(msgspec.Struct, frozen=True, tag=True):
    """How the fleet stands."""

    standing: Standing


class Stop(msgspec.Struct, frozen=True, tag=True):
    """Take no more jobs, and end; at once unless `drain`."""

    drain: bool


class Retire(msgspec.Struct, frozen=True, tag=True):
    """End, unless a job has come meanwhile."""


class Hello(msgspec.Struct, frozen=True, tag=True):
    """The app is loaded, and this is how it is set; the first thing a process says."""

    settings: Settings


class Started(msgspec.Struct, frozen=True, tag=True):
    """The worker is enlisted and claims jobs."""


class Room(msgspec.Struct, frozen=True, tag=True):
    """Whether the worker could take more jobs than it has."""

    free: bool


class Heard(msgspec.Struct, frozen=True, tag=True):
    """The bell rang, and these of its words are for the node."""

    words: Sequence[str]


class Scheduled(msgspec.Struct, frozen=True, tag=True):
    """Some attempts ended with another one later, perhaps soon."""


class Happened(msgspec.Struct, frozen=True, tag=True):
    """What happened there lately, to be counted."""

    events: list[Told]


class Retired(msgspec.Struct, frozen=True, tag=True):
    """It had nothing to do, and ends as it was asked to."""


Order: TypeAlias = Assignment | Ring | Cancel | Learn | Stop | Retire
Report: TypeAlias = Hello | Started | Room | Heard | Scheduled | Happened | Retired

SaidT = TypeVar("SaidT", bound=msgspec.Struct)
HeardT = TypeVar("HeardT")


class Channel(Generic[SaidT, HeardT]):
    """One end of the socket between a supervisor and a worker process."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        decoder: msgspec.json.Decoder[HeardT],
    ) -> None:
        """Take an open stream; see `to_supervisor` and `to_worker`."""
        self._reader = reader
        self._writer = writer
        self._decoder = decoder

    def say(self, message: SaidT) -> None:
        """Send a message without waiting; to one who is gone it is lost."""
        if not self._writer.is_closing():
            self._writer.write(msgspec.json.encode(message) + b"\n")

    def hint(self, message: SaidT) -> None:
        """Send a message that may as well be lost, unless there are many unread ones."""
        if not self.full:
            self.say(message)

    @property
    def full(self) -> bool:
        """Whether there are many unread messages."""
        return self._writer.transport.get_write_buffer_size() >= FULL

    async def hear(self) -> AsyncIterator[HeardT]:
        """Every message, until the other end is gone."""
        while line := await self._line():
            yield self._decoder.decode(line)

    def close(self) -> None:
        """Hang up."""
        self._writer.close()

    async def _line(self) -> bytes:
        try:
            line = await self._reader.readline()
        except ConnectionError:
            return b""
        return line if line.endswith(b"\n") else b""  # half a line is the end of a killed process


async def to_supervisor(end: socket.socket) -> Channel[Report, Order]:
    """The worker's end."""
    decoder: msgspec.json.Decoder[Order] = msgspec.json.Decoder(Order)
    return Channel(*await _streams(end), decoder)


async def to_worker(end: socket.socket) -> Channel[Order, Report]:
    """The supervisor's end."""
    decoder: msgspec.json.Decoder[Report] = msgspec.json.Decoder(Report)
    return Channel(*await _streams(end), decoder)


async def _streams(end: socket.socket) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_unix_connection(sock=end, limit=LONGEST_LINE)
