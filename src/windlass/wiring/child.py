"""A worker process, started by its supervisor: `windlass.wiring.child CONTROL LEASE`.

Both are inherited descriptors. Which app to load comes over CONTROL, for the process may have been
started before that was known; and so does whatever is secret, since anyone on the machine can read
a command line.
"""

from __future__ import annotations

import signal
import socket
import sys

from windlass.starting import read
from windlass.worker.birth import die_with_parent, give_back_memory


def main() -> None:
    """Make sure of the end, read what a worker takes, and serve."""
    die_with_parent()
    give_back_memory()
    # An interrupt from the keyboard is for the supervisor, who lets attempts finish.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control, lease = sys.argv[1:]
    read("windlass.wiring.shop").keep_shop(socket.socket(fileno=int(control)), int(lease))
