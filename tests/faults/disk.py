"""A disk of a test's own, small enough to be filled."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

MIB = 1 << 20


class Disk:
    """A folder with only so much room."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self) -> int:
        """Leave no room at all; how many bytes that took."""
        file = os.open(self._ballast, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            for size in (MIB, 4096, 1):
                self._write(file, size)
            return os.fstat(file).st_size
        finally:
            os.close(file)

    def free(self) -> None:
        """Have the room again."""
        self._ballast.unlink()

    def _write(self, file: int, size: int) -> None:
        try:
            while os.write(file, bytes(size)):
                pass
        except OSError as problem:
            if problem.errno != errno.ENOSPC:
                raise


@contextmanager
def small_disk(folder: Path, size: int, owner: int = 0) -> Iterator[Disk]:
    """Mount one; only an administrator may, so elsewhere the test is told apart from passing."""
    folder.mkdir(exist_ok=True)
    options = f"size={size},mode=0700,uid={owner}"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder],  # noqa: S607
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)  # noqa: S607
