"""The memory that a supervisor and its worker processes share."""

from __future__ import annotations

import os

# Two doubles, each written and read at once, so that no reader ever sees half of a deadline.
SIZE = 16


def shared_memory() -> int:
    """A file descriptor to hand to children; what stands behind it grants nothing yet."""
    # Not on every system, nor in every build of Python.
    create = getattr(os, "memfd_create", None)
    fd: int = _of_a_file() if create is None else create("windlass")
    os.ftruncate(fd, SIZE)
    return fd


def _of_a_file() -> int:
    import tempfile  # noqa: PLC0415 - slow, and there is a better way mostly

    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
