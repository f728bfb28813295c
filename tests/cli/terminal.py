"""Runs the real command as a person or a script would."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import termios
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.warm import PROGRAM, warm

WINDLASS = PROGRAM
PATIENCE = 50.0

# Handlers of each kind, in a file that `--app shop:app` finds.
SHOP = """
from windlass import Context, Windlass

app = Windlass()


@app.job
async def greet(user: str) -> str:
    return f"hello {user}"


@app.job(queue="slow")
async def walk(ctx: Context, steps: int = 2) -> int:
    for step in range(steps):
        ctx.progress((step + 1) / steps, f"step {step + 1}")
        ctx.log(f"took step {step + 1}")
    return steps


@app.job(max_attempts=1)
async def stumble(over: str) -> None:
    raise RuntimeError(f"stumbled over {over}")
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What stdout says to a program."""
        return json.loads(self.out)


class Terminal:
    """A shell in a folder of its own, where the store is configured."""

    def __init__(self, folder: Path, store: str) -> None:
        self.folder = folder
        self.env = {
            **{name: value for name, value in os.environ.items() if "COLOR" not in name},
            "WINDLASS_STORE": store,
            "COLUMNS": "200",
        }
        (folder / "shop.py").write_text(SHOP)

    def __call__(self, *words: str, stdin: str | bytes = b"", **env: str) -> Answer:
        """Run `windlass` with these words, without waiting for its start where that can be."""
        env = {**self.env, **env}
        if not warm().fits(env):
            return self.cold(*words, stdin=stdin, **env)
        code, out, err = warm().run(words, self.folder, env, as_bytes(stdin), PATIENCE)
        return Answer(code, out.decode(), err.decode())

    def cold(self, *words: str, stdin: str | bytes = b"", **env: str) -> Answer:
        """Start `windlass` with these words."""
        done = subprocess.run(
            [WINDLASS, *words],
            cwd=self.folder,
            env={**self.env, **env},
            input=as_bytes(stdin),
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    def on_screen(self, *words: str, columns: int, **env: str) -> str:
        """What a person sees on a terminal of this width."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        env = {**self.env, "TERM": "xterm-256color", **env}
        del env["COLUMNS"]
        with subprocess.Popen(
            [WINDLASS, *words], cwd=self.folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs
        ):
            os.close(theirs)
            return _everything(ours)

    @property
    def untouched(self) -> bool:
        """Whether nothing has opened the embedded store yet."""
        return not (self.folder / "windlass.db").exists()

    def enqueued(self, *words: str) -> str:
        """The id of a new job."""
        answer = self("enqueue", *words)
        assert answer.code == 0, answer
        return answer.out.strip()


def as_bytes(text: str | bytes) -> bytes:
    """What a program reads."""
    return text.encode() if isinstance(text, str) else text


def trimmed(shown: str) -> str:
    """What is shown, without the blanks that fill up each line."""
    return "\n".join(line.rstrip() for line in shown.split("\n"))


def _everything(screen: int) -> str:
    seen = b""
    try:
        while more := os.read(screen, 65536):
            seen += more
    except OSError:  # the last program on the other side is gone
        pass
    os.close(screen)
    return seen.decode()
