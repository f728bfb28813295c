"""A `windlass` that is started once, and becomes a process of its own for every command.

What a command imports takes four times as long as what it does. This program imports all of it,
and forks for each call: the same program, in its own folder, environment and process, and with
its own end. What tests say about the start itself they say of a cold one.
"""

import atexit
import functools
import gc
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, NamedTuple

PROGRAM = Path(sys.executable).with_name("windlass")
# What commands import as they go along, beside their own modules.
BESIDE = (
    "asyncpg",
    "rich.console",
    "rich.live",
    "rich.table",
    "typer.rich_utils",
    "windlass.store.postgres",
    "windlass.store.sqlite",
    "windlass.wiring.storehouse",
)
# What a process that runs already can be told; whatever else is set must be there from the start.
TOLD = ("COMP_", "NO_COLOR", "REDIS_URL", "WINDLASS_", "_WINDLASS_")


class Ended(NamedTuple):
    """How a command ended, and what it wrote."""

    code: int
    out: bytes
    err: bytes


class Warm:
    """The program that waits for commands."""

    def __init__(self, env: Mapping[str, str]) -> None:
        """Start it."""
        self._env = untold(env)
        self._line, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )

    def fits(self, env: Mapping[str, str]) -> bool:
        """Whether a command in this environment may begin here."""
        return untold(env) == self._env

    def run(
        self,
        words: Sequence[str],
        folder: Path,
        env: Mapping[str, str],
        stdin: bytes,
        patience: float,
    ) -> Ended:
        """Run a command to its end."""
        asked = json.dumps({"words": words, "folder": str(folder), "env": dict(env)}).encode()
        with written(asked) as order, written(stdin) as given, written() as out, written() as err:
            code = self._ended([order, given, out, err], patience)
            return Ended(code, read(out), read(err))

    def close(self) -> None:
        """Let it go."""
        self._line.close()
        self._process.wait()

    def _ended(self, files: Sequence[BinaryIO], patience: float) -> int:
        ours, theirs = socket.socketpair()
        with ours, ours.makefile() as told:
            with theirs:
                numbers = [*(file.fileno() for file in files), theirs.fileno()]
                socket.send_fds(self._line, [b"."], numbers)
            ours.settimeout(patience)
            process = int(told.readline())
            try:
                return int(told.readline())
            except TimeoutError:
                os.kill(process, signal.SIGKILL)
                raise


def untold(env: Mapping[str, str]) -> dict[str, str]:
    """What of an environment is to be there from the start."""
    ours = ("PYTEST_", "COLUMNS", *TOLD)
    return {name: value for name, value in env.items() if not name.startswith(ours)}


def written(text: bytes = b"") -> BinaryIO:
    """A file with this in it, to be read from its beginning."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - whoever asks for it closes it
    file.write(text)
    file.seek(0)
    return file


def read(file: BinaryIO) -> bytes:
    """All that others wrote into it."""
    file.seek(0)
    return file.read()


@functools.cache
def warm() -> Warm:
    """The one of this process of the tests."""
    env = {name: value for name, value in os.environ.items() if "COLOR" not in name}
    made = Warm(env)
    atexit.register(made.close)
    return made


def wait_for_commands(line: socket.socket) -> None:
    """Become a command each time one is asked for, and stay what it was beside it."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while numbers := socket.recv_fds(line, 1, 5)[1]:
        if os.fork() == 0:
            line.close()
            return attend(*numbers)
        for number in numbers:
            os.close(number)
    return None


def attend(order: int, stdin: int, stdout: int, stderr: int, answer: int) -> None:
    """Tell whoever asked which process it is, and how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    process = os.fork()
    if process == 0:
        os.close(answer)
        become(order, stdin, stdout, stderr)
    os.write(answer, f"{process}\n".encode())
    _, status = os.waitpid(process, 0)
    os.write(answer, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def become(order: int, stdin: int, stdout: int, stderr: int) -> None:
    """Be a `windlass` that was just started like this, until its end."""
    with os.fdopen(order, "rb") as file:
        asked = json.load(file)
    for theirs, number in enumerate((stdin, stdout, stderr)):
        os.dup2(number, theirs)
        os.close(number)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.argv = [str(PROGRAM), *asked["words"]]
    sys.exit(import_module("windlass.cli").main())


def import_everything() -> None:
    """Import what any command might."""
    for module in pkgutil.iter_modules(import_module("windlass.cli").__path__, "windlass.cli."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    for name in BESIDE:
        import_module(name)
    gc.freeze()


if __name__ == "__main__":
    sys.path[0] = str(PROGRAM.parent)
    import_everything()
    wait_for_commands(socket.socket(fileno=int(sys.argv[1])))
