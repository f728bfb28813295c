"""Where tests and their servers keep files: in memory if there is room, on disk otherwise.

What tests kill is a process, and what it wrote outlives it in memory as on disk. Only a power cut
would tell the two apart. But a disk takes a thousand times as long to say that it has a page.
"""

import os
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108 - where Linux has files in memory
# Several times what a run of all tests has ever held at once.
ENOUGH = 6 << 30


def work_in_memory() -> None:
    """Let this process and all that it starts make their temporary files in memory, if it can."""
    if "TMPDIR" in os.environ or not roomy(MEMORY):
        return
    os.environ["TMPDIR"] = str(MEMORY)
    tempfile.tempdir = None


def roomy(folder: Path) -> bool:
    """Whether files may be made here, enough of them, and programs run from here."""
    if not os.access(folder, os.W_OK | os.X_OK):
        return False
    runs = not os.statvfs(folder).f_flag & os.ST_NOEXEC
    return runs and shutil.disk_usage(folder).free >= ENOUGH
