"""`windlass up` as a real process: started, killed, and started again at the same port."""

import json
import subprocess
import sys
from pathlib import Path

from tests.acceptance.fleet import START, surroundings
from tests.services.server import free_port


class Upped:
    """A service with workers, and where it is."""

    def __init__(self, folder: Path, app: str = "tests.client.works:app", **env: str) -> None:
        """Nothing runs yet."""
        self.url = f"http://127.0.0.1:{free_port()}"
        self._folder = folder
        self._app = app
        self.env = {**surroundings(), **env}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it listens."""
        port = self.url.rpartition(":")[2]
        with (self._folder / "up.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", START, "--json", "up", "--app", self._app, "--port", port],
                cwd=self._folder,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        assert self._process.stdout is not None
        said = b""
        for line in self._process.stdout:
            said += line
            if line.startswith(b"}"):
                self.url = str(json.loads(said)["url"])
                return
        raise AssertionError((self._folder / "up.log").read_text())

    def run(self, *words: str) -> str:
        """What `windlass` says beside it."""
        return subprocess.check_output(
            [sys.executable, "-c", START, *words], cwd=self._folder, env=self.env, text=True
        )

    def kill(self) -> None:
        """End it where it is; its workers die with it."""
        assert self._process is not None
        assert self._process.stdout is not None
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
