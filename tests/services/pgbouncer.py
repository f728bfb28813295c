"""PgBouncer for tests, in transaction mode: the program of the machine, or Debian's, unpacked."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

import psycopg

from tests.services.server import Server, ServiceFailed, copy_program

CACHE = Path(__file__).parents[2] / ".cache" / "pgbouncer"

CONFIGURATION = """\
[databases]
* = {target}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
"""


class PgBouncerServer(Server):
    """A PgBouncer in front of one PostgreSQL: any of its databases, by their names."""

    name = "pgbouncer"
    refuses_root = True
    # It has nothing to lose, and what it makes of other signals has changed over the years.
    last_signal = signal.SIGKILL

    def __init__(self, postgres_url: str) -> None:
        super().__init__()
        self._target = urlsplit(postgres_url)
        self._program: Path | None = None
        self._libraries: Sequence[Path] = ()

    @property
    def url(self) -> str:
        """The database of the PostgreSQL URL, through the pool."""
        return self._target._replace(netloc=f"postgres@127.0.0.1:{self.port}", query="").geturl()

    def stop(self) -> None:
        """End it at once, and its clients with it."""
        self.end_with(self.last_signal)

    def prepare(self) -> None:
        """Find the program and write its configuration."""
        self._use(find_program())
        self._configuration.write_text(
            CONFIGURATION.format(target=connection_string(self._target), port=self.port)
        )

    def command(self) -> Sequence[str | Path]:
        """Run it in the foreground."""
        if self._program is None:
            raise ServiceFailed("pgbouncer has no configuration yet")
        return [self._program, self._configuration]

    def environment(self) -> Mapping[str, str]:
        """Let an unpacked program find the libraries that were unpacked with it."""
        return {
            **super().environment(),
            "LD_LIBRARY_PATH": os.pathsep.join(map(str, self._libraries)),
        }

    def ready(self) -> bool:
        """Whether a query comes through to PostgreSQL."""
        try:
            psycopg.connect(self.url, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    @property
    def _configuration(self) -> Path:
        return self.folder / "pgbouncer.ini"

    def _use(self, program: Path) -> None:
        self._program = program
        if not program.is_relative_to(CACHE):
            return
        self._libraries = sorted({library.parent for library in CACHE.rglob("*.so.*")})
        if self.can_execute(program):
            return
        copy = copy_program(CACHE, self.folder / "programs")
        self._program = copy / program.relative_to(CACHE)
        self._libraries = [copy / folder.relative_to(CACHE) for folder in self._libraries]


def connection_string(target: SplitResult) -> str:
    """Say in PgBouncer's words where PostgreSQL is and who calls there."""
    words = {
        "host": target.hostname or "127.0.0.1",
        "port": str(target.port or 5432),
        "user": unquote(target.username or "postgres"),
        "password": unquote(target.password or ""),
    }
    return " ".join(f"{name}='{word}'" for name, word in words.items() if word)


def find_program() -> Path:
    """Take the program that TEST_PGBOUNCER names, else that of the machine, else Debian's."""
    named = os.environ.get("TEST_PGBOUNCER")
    if named:
        return Path(named)
    installed = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if installed:
        return Path(installed)
    CACHE.parent.mkdir(exist_ok=True)
    # The processes of a test run ask at the same time; one unpacks, the others wait for it.
    with CACHE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        program = CACHE / "usr" / "sbin" / "pgbouncer"
        if not program.exists():
            unpack_from_debian(CACHE)
    return program


def unpack_from_debian(target: Path) -> None:
    """Fetch PgBouncer and its libraries with apt and unpack them, changing nothing of the machine.

    No package index of Python has a PgBouncer. apt gets folders of its own for its lists, so this
    needs no root, and works in a container whose lists are empty.
    """
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise ServiceFailed(
            "the tests need a pgbouncer: install one, or name one with TEST_PGBOUNCER"
        )
    work = target.with_suffix(".new")
    shutil.rmtree(work, ignore_errors=True)
    for folder in ("lists/partial", "cache/archives/partial", "packages", "root"):
        (work / folder).mkdir(parents=True)
    apt = [f"-oDir::State={work}", f"-oDir::Cache={work / 'cache'}", "-oAPT::Sandbox::User=root"]
    call("apt-get", *apt, "-qq", "update", inside=work)
    needs = call("apt-cache", *apt, "depends", "pgbouncer", inside=work)
    # Not the C library: it must be the one that the machine's loader belongs to.
    libraries = set(re.findall(r"Depends: (lib\S+)", needs)) - {"libc6"}
    call("apt-get", *apt, "-qq", "download", "pgbouncer", *libraries, inside=work / "packages")
    for package in (work / "packages").glob("*.deb"):
        call("dpkg-deb", "--extract", str(package), str(work / "root"), inside=work)
    (work / "root").rename(target)
    shutil.rmtree(work)


def call(*command: str, inside: Path) -> str:
    """Run a program to its end and return what it printed."""
    done = subprocess.run(command, cwd=inside, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ServiceFailed(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    # Beforehand: fetched in a test, it would take the test's time. Who has no apt is told there.
    if shutil.which("apt-get"):
        find_program()
