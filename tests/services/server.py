"""A server program as a child process: on its own port, on a leash, ready before it is used."""

import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

LEASH = Path(__file__).with_name("leash.py")


class ServiceFailed(Exception):
    """A service that the tests need cannot be had; they fail, they are never skipped."""


class Server(ABC):
    """A throw-away server: `start` and `stop` keep its data and port, `close` removes it all."""

    name: ClassVar[str]
    #: Some servers refuse to run as root; those run as nobody then.
    refuses_root: ClassVar[bool] = False
    #: What ends it at once if the tests are killed.
    last_signal: ClassVar[signal.Signals] = signal.SIGTERM

    def __init__(self) -> None:
        self.port = free_port()
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._leash: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    @abstractmethod
    def url(self) -> str:
        """Where clients find it; the same after a restart."""

    @property
    def pid(self) -> int:
        """The process id while it runs."""
        return self._running().pid

    @property
    def folder(self) -> Path:
        """Where it keeps its data and its log; owned by the account that it runs under."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix=f"windlass-{self.name}-"))
            self._folder.chmod(0o711)
            if uid_gid := self._account():
                os.chown(self._folder, *uid_gid)
        return self._folder

    @property
    def log(self) -> str:
        """What it has said so far."""
        return (self.folder / "log").read_text(errors="replace")

    def start(self) -> None:
        """Start it, or start it again, and return when it answers."""
        if self._process is not None:
            raise ServiceFailed(f"{self.name} runs already")
        if self._leash is None:
            self._leash = self._put_on_leash()
            self.prepare()
        with (self.folder / "log").open("ab") as log:
            self._process = self._popen(self.command(), log.fileno())
        self._tell_leash(self._process.pid)
        self._wait_until_ready()

    def restart(self) -> None:
        """Stop it and start it again on the same port with the same data."""
        self.stop()
        self.start()

    def stop(self) -> None:
        """End it in good order; its data stay."""
        self.end_with(signal.SIGTERM)

    def end_with(self, sent: signal.Signals, patience: float = 30.0) -> None:
        """Send a signal (SIGKILL for a crash) and return when the process is gone."""
        process = self._running()
        process.send_signal(sent)
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise ServiceFailed(f"{self.name} ignored {sent.name} for {patience} s") from None
        finally:
            self._process = None
            self._tell_leash(0)

    def close(self) -> None:
        """End it and remove everything it had."""
        if self._process is not None:
            self.end_with(self.last_signal)
        if self._leash is not None:
            self._leash.communicate()
            self._leash = None
            self._folder = None

    def prepare(self) -> None:
        """Do what must be done once before the first start."""
        return

    @abstractmethod
    def command(self) -> Sequence[str | Path]:
        """The program and its arguments."""

    @abstractmethod
    def ready(self) -> bool:
        """Whether it answers by now."""

    def environment(self) -> Mapping[str, str]:
        """What the program finds in its environment: nothing of the caller's, such as PGHOST."""
        return {"LC_ALL": "C", "PATH": os.defpath}

    def run(self, *command: str | Path) -> None:
        """Run a program to its end under the server's account."""
        with (self.folder / "log").open("ab") as log:
            code = self._popen(command, log.fileno()).wait()
        if code:
            raise ServiceFailed(f"{command[0]} ended with {code}:\n{self.log}")

    def can_execute(self, program: Path) -> bool:
        """Whether the server's account can start this program, which may be in a private home."""
        try:
            return self._popen([program, "--version"], subprocess.DEVNULL).wait() == 0
        except PermissionError:
            return False

    def _popen(self, command: Sequence[str | Path], output: int) -> subprocess.Popen[bytes]:
        uid, gid = self._account() or (None, None)
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            # An interrupt from the keyboard is for pytest, which then stops its servers in order.
            start_new_session=True,
            user=uid,
            group=gid,
            extra_groups=None if uid is None else [],
        )

    def _account(self) -> tuple[int, int] | None:
        if not self.refuses_root or os.geteuid() != 0:
            return None
        nobody = pwd.getpwnam("nobody")
        return nobody.pw_uid, nobody.pw_gid

    def _put_on_leash(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-IS", LEASH, self.folder, str(int(self.last_signal))],
            cwd="/",
            stdin=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def _tell_leash(self, pid: int) -> None:
        if self._leash is not None and self._leash.stdin is not None:
            print(pid, file=self._leash.stdin, flush=True)

    def _wait_until_ready(self, at_most: float = 30.0) -> None:
        process = self._running()
        deadline = time.monotonic() + at_most
        while not self.ready():
            try:
                code = process.wait(0.02)
            except subprocess.TimeoutExpired:
                if time.monotonic() < deadline:
                    continue
                raise ServiceFailed(f"{self.name} gave no answer in {at_most} s") from None
            self._process = None
            self._tell_leash(0)
            raise ServiceFailed(f"{self.name} ended with {code} instead of starting:\n{self.log}")

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise ServiceFailed(f"{self.name} is not running")
        return self._process


def free_port() -> int:
    """Find a port that nobody uses, below those that the system gives to outgoing connections.

    A client that tries again and again while the server is down would else, sooner or later, be
    given the server's own port to call from, and the server could not come back. The processes of
    a test run look for different ones, for it may take a while until one is used.
    """
    process = int(os.environ.get("PYTEST_XDIST_WORKER", "gw9").removeprefix("gw")) % 10
    while True:
        port = random.randrange(20_000 + process, 30_000, 10)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def copy_program(source: Path, target: Path) -> Path:
    """Copy a folder of programs to where any account may read and run them."""
    shutil.copytree(
        source, target, symlinks=True, ignore=shutil.ignore_patterns("*.a", "include", "doc")
    )
    for folder in [target, *target.rglob("*/")]:
        folder.chmod(0o755)
    return target
