"""End a server and remove its folder once the process that started it is gone.

Runs as a program beside each server: `python leash.py FOLDER SIGNAL`. On its standard input it
reads the server's process id, one line per start, 0 for a server that was stopped. The input ends
when its other end is closed or dies, even by SIGKILL.
"""

import os
import shutil
import signal
import sys
import time
from pathlib import Path


def hold(folder: Path, gently: signal.Signals) -> None:
    """Wait until the owner lets go or dies, then clean up behind it."""
    server = 0
    for line in sys.stdin:
        server = int(line)
    if server:
        end(server, gently)
    shutil.rmtree(folder, ignore_errors=True)


def end(server: int, gently: signal.Signals, patience: float = 3.0) -> None:
    deadline = time.monotonic() + patience
    try:
        os.kill(server, gently)
        while time.monotonic() < deadline:
            time.sleep(0.02)
            os.kill(server, 0)
        os.kill(server, signal.SIGKILL)
    except ProcessLookupError:
        return


if __name__ == "__main__":
    hold(Path(sys.argv[1]), signal.Signals(int(sys.argv[2])))
