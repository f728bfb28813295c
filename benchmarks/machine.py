"""What the figures were measured on; without it they mean nothing."""

from __future__ import annotations

import asyncio
import os
import platform
import sqlite3
import subprocess
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from statistics import median

import psutil
import psycopg

from benchmarks.processes import cpu
from benchmarks.sites import IN_MEMORY, POSTGRES_SETTINGS, Sites
from tests.services.redis import RedisServer
from windlass.store.filesystems import kind_of

PAGE = bytes(8192)
SYNCS = 200
# Figures vary with whatever else runs; beyond this share of a core it should be said.
BUSY = 0.25
QUIET = 3.0


def facts(sites: Sites) -> dict[str, str]:
    """The machine, the versions and the settings, each as the thing itself tells it."""
    told = {
        "machine": f"{os.cpu_count()} cores, {_processor()}, {_memory()}",
        "system": f"{platform.system()} {_release()}, {kind_of(sites.disk)}",
        "fdatasync": f"{fdatasync(sites.disk) * 1e6:,.0f} µs",
        "load": f"{os.getloadavg()[0]:.2f} before the run",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "sqlite": sqlite3.sqlite_version,
        "asyncpg": version("asyncpg"),
        "windlass": version("windlass"),
    }
    if sites.postgres is not None:
        told["postgres"] = _postgres(sites.postgres.url)
    return told


def redis() -> str:
    """The server that peers keep their jobs in; nothing of it is on a disk."""
    server = str(RedisServer().command()[0])
    told = subprocess.run([server, "--version"], capture_output=True, text=True, check=True)
    return f"{told.stdout.split('sha=')[0].strip()} (nothing on disk: not durable)"


def warnings(sites: Sites) -> list[str]:
    """What makes the figures of this run unfit for comparison."""
    found = []
    if kind_of(sites.disk) in IN_MEMORY:
        found.append(f"{sites.disk} is in memory, so commits cost nothing; set TMPDIR to a disk")
    if os.getloadavg()[0] > BUSY:
        found.append(f"something else uses this machine (load {os.getloadavg()[0]:.2f})")
    return found


class Elsewhere:
    """How many cores were busy with something that this run did not start."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._others = _everything() - cpu(os.getpid())

    def cores(self) -> float:
        """On average since it was made."""
        worked = _everything() - cpu(os.getpid()) - self._others
        return max(0.0, worked / (time.perf_counter() - self._began))

    def told(self) -> str:
        """The same in words."""
        return f"{self.cores():.2f} cores busy with something else on average"


async def quiet(patience: float) -> None:
    """Wait until nothing else uses the machine, but not for ever."""
    deadline = time.perf_counter() + patience
    while time.perf_counter() < deadline:
        others = Elsewhere()
        await asyncio.sleep(QUIET)
        if others.cores() <= BUSY:
            return


def fdatasync(folder: Path) -> float:
    """Seconds that one page takes to reach the disk."""
    took = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(SYNCS):
            os.pwrite(file.fileno(), PAGE, 0)
            before = time.perf_counter()
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - before)
    return median(took)


def _postgres(url: str) -> str:
    """The version and the settings that the server says it runs with; refuses weaker ones."""
    with psycopg.connect(url) as connection:
        found = {
            name: str(connection.execute("select current_setting(%s)", [name]).fetchall()[0][0])
            for name in ["server_version", *POSTGRES_SETTINGS]
        }
    for name, wanted in POSTGRES_SETTINGS.items():
        if found[name] != wanted:
            raise ValueError(f"PostgreSQL runs with {name}={found[name]}, not {wanted}")
    settings = ", ".join(f"{name}={found[name]}" for name in POSTGRES_SETTINGS)
    return f"{found['server_version']} ({settings})"


def _everything() -> float:
    """Seconds that all cores together have worked since the machine started."""
    spent = psutil.cpu_times()
    return float(sum(spent) - spent.idle - getattr(spent, "iowait", 0.0))


def _release() -> str:
    """The version of the system, without what those who built it for a machine have added."""
    return ".".join(platform.release().split(".")[:2])


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _memory() -> str:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{pages / 2**30:.0f} GiB"
