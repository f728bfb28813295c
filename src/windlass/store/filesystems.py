"""Which file systems cannot hold an embedded database."""

from __future__ import annotations

import re
from pathlib import Path

from windlass.core.errors import BadStore

MOUNTS = Path("/proc/mounts")

# Their locks do not hold between machines, or not at all, and WAL needs shared memory.
NETWORK = frozenset(
    {
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "davfs",
        "fuse.ceph",
        "fuse.davfs2",
        "fuse.gcsfuse",
        "fuse.glusterfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "smb3",
        "smbfs",
    }
)


def refuse_network(path: Path, mounts: Path = MOUNTS) -> None:
    """Refuse a file on a network file system, where two machines would damage it."""
    kind = kind_of(path, mounts)
    if kind in NETWORK:
        raise BadStore(
            f"{path} is on a network file system ({kind}), where SQLite's locks do not hold;"
            " use a local disk, or PostgreSQL for more than one machine"
        )


def kind_of(path: Path, mounts: Path = MOUNTS) -> str | None:
    """The type of the file system that holds this path, where the system tells."""
    try:
        lines = mounts.read_text(errors="replace").splitlines()
    except OSError:
        return None
    place, found, kind = path.resolve(), -1, None
    for line in lines:
        _, point, its_kind, *_ = line.split(" ")
        folder = Path(_unescaped(point))
        # The deepest mount holds the file, and of two at one place the later one.
        if place.is_relative_to(folder) and len(folder.parts) >= found:
            found, kind = len(folder.parts), its_kind
    return kind


def _unescaped(point: str) -> str:
    r"""A mount point as it is; the kernel writes a space as \040."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), point)
