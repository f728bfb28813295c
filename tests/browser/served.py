"""A real `windlass up`, with real workers, whose dashboard tests look at."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.acceptance.fleet import START, surroundings

PASSWORD = "correct horse battery staple"  # noqa: S105 - of the users that tests add
FINISHED = {"completed", "failed", "cancelled"}


class Served:
    """Where it is, and a short way to its API."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder

    @property
    def ui(self) -> str:
        """Where the dashboard is."""
        return f"{self.url}/ui/"

    def get(self, path: str) -> Any:
        """What the API answers."""
        return self._ask("GET", path)

    def post(self, path: str, body: object | None = None) -> Any:
        """Send something to the API."""
        return self._ask("POST", path, body)

    def submit(self, type_: str, payload: object | None = None, **options: object) -> str:
        """Submit a job; answers with its id."""
        job = {"type": type_, "payload": payload or {}, **options}
        return str(self.post("/jobs", job)["id"])

    def job(self, job_id: str) -> dict[str, Any]:
        """A job as it stands."""
        found: dict[str, Any] = self.get(f"/jobs/{job_id}")
        return found

    def finished(self, job_id: str) -> dict[str, Any]:
        """A job, once nothing more will happen to it."""
        self.until(lambda: self.job(job_id)["status"] in FINISHED)
        return self.job(job_id)

    def until(self, condition: Callable[[], object], at_most: float = 40.0) -> None:
        """Wait for something of the server; for what a page shows, use `expect`."""
        deadline = time.monotonic() + at_most
        while not condition():
            assert time.monotonic() < deadline, f"not within {at_most} s"
            time.sleep(0.02)

    def _ask(self, method: str, path: str, body: object | None = None) -> Any:
        with closing(HTTPConnection(self.url.removeprefix("http://"), timeout=20)) as connection:
            if body is None:
                connection.request(method, path)
            else:
                headers = {"Content-Type": "application/json"}
                connection.request(method, path, json.dumps(body), headers)
            answer = connection.getresponse()
            said = answer.read()
        assert answer.status < 300, said.decode()
        return json.loads(said) if said else None


@contextmanager
def serving(
    folder: Path, store_url: str, *options: str, environ: Mapping[str, str] | None = None
) -> Iterator[Served]:
    """`windlass up` on a free port; it ends with the block, however it ends."""
    with (folder / "up.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", START, "--json", "up", "--port", "0", *options],
            cwd=folder,
            env={**surroundings(), "WINDLASS_STORE": store_url, **(environ or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield Served(_told(process, folder), folder)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def add_user(store_url: str, folder: Path, name: str, scope: str) -> None:
    """Let somebody log in, with PASSWORD."""
    subprocess.run(
        [sys.executable, "-c", START, "user", "add", name, "--scope", scope, "--password-stdin"],
        cwd=folder,
        env={**surroundings(), "WINDLASS_STORE": store_url},
        input=PASSWORD,
        text=True,
        capture_output=True,
        check=True,
    )


def _told(process: subprocess.Popen[bytes], folder: Path) -> str:
    said = b""
    assert process.stdout is not None
    with process.stdout as out:
        for line in out:
            said += line
            if line.startswith(b"}"):
                return str(json.loads(said)["url"])
    raise AssertionError((folder / "up.log").read_text())
