"""Calls up the worker processes of a supervisor, the first perhaps before anything else is read.

So this imports little, and starts them by plain means: no event loop is there yet.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress

from windlass.worker.memory import shared_memory


class Recruit:
    """A process that was started: our end of the line to it, and the memory it shares."""

    def __init__(
        self, process: subprocess.Popen[bytes], line: socket.socket, environ: dict[str, str]
    ) -> None:
        """Take a process that was just started in this environment; see `start`."""
        self.pid = process.pid
        self.line = line
        self._process = process
        self._environ = environ

    @classmethod
    def start(cls, command: Sequence[str], memory: int) -> Recruit:
        """Start a process; its last two arguments are the descriptors it inherits."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                process = subprocess.Popen(  # noqa: S603 - a command of ours
                    [*command, str(theirs.fileno()), str(memory)],
                    stdin=subprocess.DEVNULL,
                    pass_fds=(theirs.fileno(), memory),
                    # An interrupt from the keyboard is for the supervisor, who lets hands finish.
                    start_new_session=True,
                )
        except BaseException:
            ours.close()
            raise
        return cls(process, ours, dict(os.environ))

    def load(self, app: str) -> None:
        """Say which app to load, and what was set in the environment since it was started."""
        import json  # noqa: PLC0415 - not before the first process is started

        was = self._environ.get
        news = {name: value for name, value in os.environ.items() if was(name) != value}
        # One that is gone already is noticed by its end.
        with suppress(OSError):
            self.line.sendall(json.dumps([app, news]).encode() + b"\n")

    def kill(self) -> None:
        """End it now, if it has not ended."""
        self._process.kill()

    def wait(self) -> int:
        """Block until it ended; a negative code is the signal that killed it."""
        return self._process.wait()

    def over(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    def dismiss(self) -> None:
        """End it, and hang up."""
        self.kill()
        self.wait()
        self.line.close()


class Muster:
    """Starts processes for one supervisor, each with the same command, memory and app."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start nothing yet."""
        self.memory = shared_memory()
        self._command = command
        self._early: Recruit | None = None
        self._app = ""

    def early(self) -> None:
        """Start the next process now: it reads what it takes, and waits for its app."""
        if self._early is None:
            with suppress(OSError):  # tried again, and told, when it is due
                self._early = Recruit.start(self._command, self.memory)

    def load(self, app: str) -> None:
        """Have the one that waits load this app, and all that come."""
        self._app = app
        if self._early is not None:
            self._early.load(app)

    def next(self) -> Recruit:
        """A process that loads the app, or has."""
        early, self._early = self._early, None
        return early or self._started()

    def close(self) -> None:
        """End the one that was started for nothing."""
        if self._early is not None:
            self._early.dismiss()
            self._early = None

    def _started(self) -> Recruit:
        recruit = Recruit.start(self._command, self.memory)
        recruit.load(self._app)
        return recruit
