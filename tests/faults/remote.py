"""A node that is elsewhere, so that it can be cut off: in a network namespace, or behind lines.

Namespaces need root, a kernel that has them and the program `ip`. Where one of these is missing the
same is done by lines that hold everything up; `by` says which it was.
"""

import os
import random
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Protocol
from urllib.parse import urlsplit

from tests.acceptance.lines import Lines
from tests.services import PostgresServer

LINK_DOWN, HALF_OPEN = "link down", "half-open"
CUTS = (LINK_DOWN, HALF_OPEN)


class Reachable(PostgresServer):
    """A PostgreSQL that lets in whoever comes from a private network."""

    def __init__(self) -> None:
        super().__init__({"listen_addresses": "0.0.0.0"})  # noqa: S104 — behind no other link

    def prepare(self) -> None:
        """Make an empty cluster, and open its door."""
        super().prepare()
        with (self._data / "pg_hba.conf").open("a") as doors:
            doors.write("host all all 10.0.0.0/8 trust\n")


class Remote(Protocol):
    """Somewhere else."""

    by: str
    url: str  # of the database, as it is called from there
    within: tuple[str, ...]  # the program that starts others there

    async def cut(self, how: str) -> None:
        """Let nothing get through any more, or no answers."""
        ...

    async def heal(self) -> None:
        """Let everything through again."""
        ...


@asynccontextmanager
async def elsewhere(server: PostgresServer) -> AsyncIterator[Remote]:
    """Another place, as remote as this machine allows."""
    if _can_have_namespaces():
        namespace = Namespace(server)
        try:
            namespace.make()
            yield namespace
        finally:
            namespace.remove()
        return
    behind = BehindLines(server.url)
    async with behind.lines.open():
        behind.url = behind.lines.url
        yield behind


class Namespace:
    """A network of its own, with one link to this one."""

    by = "network namespace"

    def __init__(self, server: PostgresServer) -> None:
        # By the port, which nobody else has at the moment.
        number = server.port
        self._name = f"windlass-{number}"
        self._here, self._there = f"wl{number}h", f"wl{number}t"
        net = f"10.{200 + number % 50}.{number // 256 % 256}"
        self._near, self._far = f"{net}.1", f"{net}.2"
        self.url = (
            urlsplit(server.url)._replace(netloc=f"postgres@{self._near}:{server.port}").geturl()
        )
        self.within: tuple[str, ...] = ("ip", "netns", "exec", self._name)

    def make(self) -> None:
        """Make both ends and join them."""
        _ip("netns", "add", self._name)
        _ip("link", "add", self._here, "type", "veth", "peer", self._there, "netns", self._name)
        _ip("address", "add", f"{self._near}/30", "dev", self._here)
        _ip("link", "set", self._here, "up")
        there = ("-n", self._name)
        _ip(*there, "address", "add", f"{self._far}/30", "dev", self._there)
        _ip(*there, "link", "set", self._there, "up")
        _ip(*there, "link", "set", "lo", "up")

    def remove(self) -> None:
        """Take both ends away."""
        with suppress(subprocess.CalledProcessError):
            _ip("netns", "delete", self._name)
        with suppress(subprocess.CalledProcessError):
            _ip("link", "delete", self._here)
        with suppress(subprocess.CalledProcessError):
            _ip("route", "delete", "blackhole", f"{self._far}/32")

    async def cut(self, how: str) -> None:
        """Take the link down, or lose whatever is sent there: requests arrive, answers do not."""
        if how == LINK_DOWN:
            _ip("link", "set", self._here, "down")
        else:
            _ip("route", "add", "blackhole", f"{self._far}/32")

    async def heal(self) -> None:
        """Undo either."""
        _ip("link", "set", self._here, "up")
        with suppress(subprocess.CalledProcessError):
            _ip("route", "delete", "blackhole", f"{self._far}/32")


class BehindLines:
    """Lines of our own, which hold everything up."""

    by = "proxy"

    def __init__(self, url: str) -> None:
        self.within: tuple[str, ...] = ()
        self.lines = Lines(url, random.Random(9))
        self.url = ""

    async def cut(self, how: str) -> None:
        """Hold up both ways, or the answers."""
        (self.lines.whole if how == LINK_DOWN else self.lines.answering).clear()

    async def heal(self) -> None:
        """Let everything through."""
        self.lines.whole.set()
        self.lines.answering.set()


def _can_have_namespaces() -> bool:
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    probe = f"windlass-probe-{os.getpid()}"
    try:
        _ip("netns", "add", probe)
        _ip("-n", probe, "link", "add", "wlprobe", "type", "veth", "peer", "wlprobf")
    except subprocess.CalledProcessError:
        return False
    finally:
        with suppress(subprocess.CalledProcessError):
            _ip("netns", "delete", probe)
    return True


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)  # noqa: S607 — if there is one
