"""Where the nodes of one machine keep their locks if their database is on another, or a server."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from windlass.core.secrets import without_password
from windlass.store.filesystems import MOUNTS, NETWORK, kind_of


def lock_folder(environ: Mapping[str, str], fleet: str, mounts: Path = MOUNTS) -> Path | None:
    """The folder for nodes of this fleet, or None if there is no place that is ours alone.

    A service has a folder for the time it runs, restarts included, while its /tmp may be another
    each time. Without any, nobody is known to be dead before its lease is over.
    """
    service, _, _ = environ.get("RUNTIME_DIRECTORY", "").partition(":")
    try:
        ours = Path(service or tempfile.gettempdir()) / f"windlass-{os.getuid()}"
        ours.mkdir(mode=0o700, exist_ok=True)
        fit = _is_ours_alone(ours.lstat()) and kind_of(ours, mounts) not in NETWORK
    except OSError:
        return None
    name = hashlib.sha256(without_password(fleet).encode()).hexdigest()[:16]
    return ours / name if fit else None


def _is_ours_alone(found: os.stat_result) -> bool:
    """Whether nobody else can have put a free lock there, by which the living would be dead."""
    private = not stat.S_IMODE(found.st_mode) & 0o077
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and private
