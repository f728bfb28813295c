"""Folders of this machine for the nodes of one fleet, and for nobody else."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from windlass.core.secrets import without_password
from windlass.store.filesystems import MOUNTS, NETWORK, kind_of

# Where Linux has files that are in memory.
MEMORY = Path("/dev/shm")  # noqa: S108 — a folder of ours in it is for this account alone


def lock_folder(environ: Mapping[str, str], fleet: str, mounts: Path = MOUNTS) -> Path | None:
    """The folder for locks if the database is on another machine, or a server.

    A service has a folder for the time it runs, restarts included, while its /tmp may be another
    each time. Without any, nobody is known to be dead before its lease is over.
    """
    return own_folder(_of_service(environ) or _for_a_while(), fleet, mounts)


def memory_folder(
    environ: Mapping[str, str], fleet: str, mounts: Path = MOUNTS, memory: Path = MEMORY
) -> Path | None:
    """A folder in memory, which lasts as long as the machine runs; not every system has one.

    That of a service is in memory, too, and outlives it, while its other files there may not.
    """
    for within in (_of_service(environ), memory):
        if within is not None and within.is_dir() and kind_of(within, mounts) == "tmpfs":
            return own_folder(within, fleet, mounts)
    return None


def _of_service(environ: Mapping[str, str]) -> Path | None:
    """The folder that a service has for the time it runs."""
    service, _, _ = environ.get("RUNTIME_DIRECTORY", "").partition(":")
    return Path(service) if service else None


def own_folder(within: Path, fleet: str, mounts: Path = MOUNTS) -> Path | None:
    """The folder of this fleet, or None if there is no place that is ours alone."""
    try:
        ours = within / f"windlass-{os.getuid()}"
        ours.mkdir(mode=0o700, exist_ok=True)
        fit = _is_ours_alone(ours.lstat()) and kind_of(ours, mounts) not in NETWORK
    except OSError:
        return None
    name = hashlib.sha256(without_password(fleet).encode()).hexdigest()[:16]
    return ours / name if fit else None


def _for_a_while() -> Path:
    import tempfile  # noqa: PLC0415 - slow, and SQLite has its locks beside the database

    return Path(tempfile.gettempdir())


def _is_ours_alone(found: os.stat_result) -> bool:
    """Whether nobody else can have put anything there: a lock that is free, an end that was not."""
    private = not stat.S_IMODE(found.st_mode) & 0o077
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and private
