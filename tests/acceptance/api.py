"""A real API process: started, killed and started again at the same port."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.acceptance.fleet import START, surroundings
from tests.services.server import free_port

# How much is shown of the log of an API that did not start; after many lives it is long.
LAST_WORDS = 10_000


class Api:
    """`windlass serve`, and where it is."""

    def __init__(self, folder: Path, store_url: str, code: str = START) -> None:
        """Nothing runs yet; `code` is what starts it."""
        self.code = code
        self._folder = folder
        self._store_url = store_url
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{free_port()}"

    @property
    def pid(self) -> int:
        """The process that serves."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start it, and wait until it listens."""
        port = self.url.rpartition(":")[2]
        with (self._folder / "api.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", self.code, "--json", "serve", "--port", port],
                cwd=self._folder,
                env={**surroundings(), "WINDLASS_STORE": self._store_url},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        self.url = await asyncio.to_thread(self._told)

    def kill(self) -> None:
        """End it where it is."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def ask_to_stop(self) -> None:
        """Ask it to finish what it has accepted."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)

    async def ended(self, at_most: float = 40) -> int:
        """Wait for its end."""
        assert self._process is not None
        return await asyncio.to_thread(self._process.wait, at_most)

    def _told(self) -> str:
        assert self._process is not None
        assert self._process.stdout is not None
        said = b""
        with self._process.stdout as out:
            for line in out:
                said += line
                if line.startswith(b"}"):
                    return str(json.loads(said)["url"])
        raise AssertionError((self._folder / "api.log").read_text()[-LAST_WORDS:])


@asynccontextmanager
async def serving(folder: Path, store_url: str) -> AsyncIterator[Api]:
    """An API that ends with the block, however it ends."""
    api = Api(folder, store_url)
    await api.start()
    try:
        yield api
    finally:
        api.kill()
