"""The secret that signs our own tokens: given from outside, or kept in a file beside the store."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from jwt.algorithms import HMACAlgorithm
from jwt.exceptions import InvalidKeyError

from windlass.clock import Chance
from windlass.core.address import MEMORY, Address
from windlass.core.errors import BadInput

FOLDER = ".windlass"
FILE = "secret"

# As many as the hash has (RFC 7518, 3.2); with fewer kinds of bytes it was typed, not drawn.
LEAST_BYTES = 32
LEAST_KINDS = 8
HOW = "make one with: openssl rand -base64 32"
# Nobody else on the machine may read it.
OTHERS = stat.S_IRWXG | stat.S_IRWXO


class Secret:
    """Bytes that sign tokens; nothing shows them."""

    __slots__ = ("value",)

    def __init__(self, text: str, where: str = "WINDLASS_SECRET") -> None:
        """Refuse what could be guessed, and what is the key of something else."""
        self.value = text.encode()
        if len(self.value) < LEAST_BYTES:
            raise BadInput(
                f"{where} has {len(self.value)} bytes, but needs {LEAST_BYTES} or more; {HOW}"
            )
        if len(set(self.value)) < LEAST_KINDS:
            raise BadInput(f"{where} repeats itself and could be guessed; {HOW}")
        try:
            HMACAlgorithm(HMACAlgorithm.SHA256).prepare_key(self.value)
        except InvalidKeyError:
            raise BadInput(
                f"{where} is the key of another algorithm, which others may know; {HOW}"
            ) from None

    def __repr__(self) -> str:
        return "Secret(***)"


def place(address: Address, folder: Path) -> Path:
    """Where the secret of a store is kept if nobody names one; `folder` for a store elsewhere."""
    if address.dialect == "sqlite" and address.place != MEMORY:
        folder = Path(address.place).parent
    return folder / FILE if folder.name == FOLDER else folder / FOLDER / FILE


def kept(path: Path, chance: Chance) -> Secret:
    """The secret in the file; whoever comes first makes it, for this account's eyes only."""
    try:
        with suppress(FileExistsError):
            _make(path, chance)
        return Secret(_read(path), str(path))
    except OSError as problem:
        raise BadInput(
            f"{path} cannot be used as a secret: {problem.strerror}; set WINDLASS_SECRET instead"
        ) from None


def _make(path: Path, chance: Chance) -> None:
    """Write it aside and link it, so that nobody ever reads half of one."""
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{chance.token()}")
    descriptor = os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "w", encoding="ascii") as file:  # noqa: PTH123 - Path opens no descriptor
            file.write(f"{chance.secret()}\n")
            file.flush()
            os.fsync(descriptor)
        os.link(aside, path)
    finally:
        aside.unlink()


def _read(path: Path) -> str:
    # Not through a link: whoever could place one would choose our secret.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    with open(descriptor, encoding="utf-8") as file:  # noqa: PTH123 - as above
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise BadInput(f"{path} is not a file of this account, so others may know it; {HOW}")
        if status.st_mode & OTHERS:
            raise BadInput(f"{path} can be read by others; run: chmod 600 {path}")
        return file.read().strip()
