"""What a worker process asks of the system before anything else."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
M_MMAP_THRESHOLD = -3
LARGE_BLOCK = 1024 * 1024


def die_with_parent() -> None:
    """Ask the system to end this process with the one that started it, where it can.

    Elsewhere, and if the parent is gone already, the closed channel tells.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def give_back_memory() -> None:
    """Ask for large blocks of memory to be given back to the system once they are freed.

    Otherwise glibc learns to keep them, in holes that small ones nibble at: a process that has use
    for 11 MB held 22 after half an hour, and grew on. Whoever has tuned it knows better.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    tuned = any(name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ)
    if mallopt is not None and not tuned:
        mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK)
