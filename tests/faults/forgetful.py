"""Lines to PostgreSQL that understand what is said on them, and lose the answers to commits."""

import asyncio
import random
import struct
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.services.calls import Calls
from windlass.store.queries import shipped

SSL, GSS = 80_877_103, 80_877_104  # what a client asks before it says who it is
NAMES = {shipped("postgres")[name].numbered: name for name in shipped("postgres")}
# Statements that change something and are transactions of their own, as far as they are named.
CLAIM = ("claim", "claim_open", "claim_queues", "claim_many_queues")
HANDED = ("enqueue_handed",)
CHANGES = (
    *CLAIM,
    *HANDED,
    "settle_done",
    "settle_finish",
    "settle_return",
    "enqueue",
    "enqueue_one",
    "renew",
)


class Message(NamedTuple):
    """One message of the protocol, whole."""

    kind: bytes
    body: bytes

    def packed(self) -> bytes:
        """As it stands on the line."""
        return self.kind + struct.pack("!i", len(self.body) + 4) + self.body


@dataclass(slots=True)
class Talk:
    """What is known of one session."""

    statements: dict[bytes, str] = field(default_factory=dict)
    idle: bool = True  # no transaction is open
    asked: str = ""  # the statement that is being answered, if its answer can be lost


class Forgetful:
    """Passes everything on, but for some commits: cut before they arrive, or before the answer."""

    def __init__(self, url: str, chance: random.Random) -> None:
        self._target = urlsplit(url)
        self._chance = chance
        self._calls = Calls(self._call)
        self.url = ""
        self.share = 0.0  # of commits that cost their line
        self.next: tuple[str, ...] = ()  # lose the answer to the next of these that got something
        self.lost_at = 0.0  # when such an answer was lost, in seconds since 1970
        self.cuts: Counter[str] = Counter()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Take calls while the block runs."""
        async with self._calls.taken() as port:
            user = self._target.username or "postgres"
            self.url = self._target._replace(netloc=f"{user}@127.0.0.1:{port}").geturl()
            yield

    async def _call(self, near: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        far, requests = await self._calls.reach(self._target.hostname, self._target.port)
        try:
            await self._greet(near, answers, far, requests)
            await self._converse(near, answers, far, requests)
        finally:
            answers.transport.abort()
            requests.close()

    async def _converse(
        self,
        near: asyncio.StreamReader,
        answers: asyncio.StreamWriter,
        far: asyncio.StreamReader,
        requests: asyncio.StreamWriter,
    ) -> None:
        """Pass on what is asked and answered; what is being carried out may end first."""
        talk = Talk()
        answering = asyncio.create_task(self._answer(far, answers, talk))
        try:
            await self._carry(near, requests, talk)
        finally:
            if talk.asked:
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([answering], timeout=5)
            answering.cancel()

    async def _greet(
        self,
        near: asyncio.StreamReader,
        answers: asyncio.StreamWriter,
        far: asyncio.StreamReader,
        requests: asyncio.StreamWriter,
    ) -> None:
        """Pass on what comes before messages have a type."""
        while True:
            size = await near.readexactly(4)
            body = await near.readexactly(struct.unpack("!i", size)[0] - 4)
            requests.write(size + body)
            if struct.unpack("!i", body[:4])[0] not in (SSL, GSS):
                return
            answers.write(await far.readexactly(1))

    async def _carry(
        self, near: asyncio.StreamReader, requests: asyncio.StreamWriter, talk: Talk
    ) -> None:
        unit: list[Message] = []
        while True:
            unit.append(await _message(near))
            if unit[-1].kind not in (b"S", b"H", b"Q", b"X"):
                continue
            change = _change(unit, talk)
            if change and self._chance.random() < self.share / 2:
                self.cuts[f"{change} before"] += 1
                return
            talk.asked = change
            requests.write(b"".join(message.packed() for message in unit))
            unit = []

    async def _answer(
        self, far: asyncio.StreamReader, answers: asyncio.StreamWriter, talk: Talk
    ) -> None:
        said: list[Message] = []
        with suppress(OSError, asyncio.IncompleteReadError):
            while True:
                said.append(await _message(far))
                if talk.asked and said[-1].kind != b"Z":
                    continue  # until it is known whether it was done
                if talk.asked and self._forgets(talk.asked, said):
                    talk.asked = ""
                    break
                if said[-1].kind == b"Z":
                    talk.idle, talk.asked = said[-1].body == b"I", ""
                answers.write(b"".join(message.packed() for message in said))
                said = []
        answers.transport.abort()

    def _forgets(self, change: str, said: list[Message]) -> bool:
        """Whether the answer is lost; only one that tells of something done."""
        if not any(message.kind == b"C" for message in said):
            return False
        if change in self.next and any(one.kind == b"D" for one in said):
            self.next, self.lost_at = (), time.time()
        elif self._chance.random() >= self.share / 2:
            return False
        self.cuts[f"{change} after"] += 1
        return True


def _change(unit: list[Message], talk: Talk) -> str:
    """What the unit commits, if it commits something."""
    for message in unit:
        if message.kind == b"Q":
            return "commit" if message.body.upper().startswith(b"COMMIT") else ""
        if message.kind == b"P":
            name, query = message.body.split(b"\0")[:2]
            talk.statements[name] = NAMES.get(query.decode(), query.decode())
        if message.kind == b"B":
            text = talk.statements.get(message.body.split(b"\0")[1], "")
            executed = any(other.kind == b"E" for other in unit)
            if text.upper().startswith("COMMIT") and executed:
                return "commit"
            if executed and talk.idle and text in CHANGES:
                return text
    return ""


async def _message(reader: asyncio.StreamReader) -> Message:
    kind = await reader.readexactly(1)
    size = struct.unpack("!i", await reader.readexactly(4))[0]
    return Message(kind, await reader.readexactly(size - 4))
