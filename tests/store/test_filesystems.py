"""Network file systems are refused."""

from pathlib import Path

import pytest

from windlass.core.errors import BadStore
from windlass.store.filesystems import kind_of, refuse_network

MOUNTS = """\
/dev/vda / ext4 rw,relatime 0 0
server:/export /srv nfs4 rw 0 0
/dev/vdb /srv/local xfs rw 0 0
//box/share /mnt/two\\040words cifs rw 0 0
ada@host:/ /home/ada/remote fuse.sshfs rw 0 0
tmpfs /tmp tmpfs rw 0 0
C:\\134 /mnt/c 9p rw 0 0
"""


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    file = tmp_path / "mounts"
    file.write_text(MOUNTS)
    return file


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/lib/windlass.db", "ext4"),
        ("/srv/windlass.db", "nfs4"),
        ("/srv/local/windlass.db", "xfs"),
        ("/srvx/windlass.db", "ext4"),
        ("/mnt/two words/windlass.db", "cifs"),
        ("/home/ada/remote/x/windlass.db", "fuse.sshfs"),
        ("/mnt/c/windlass.db", "9p"),
    ],
)
def test_the_deepest_mount_tells_the_kind(mounts: Path, path: str, kind: str) -> None:
    assert kind_of(Path(path), mounts) == kind


@pytest.mark.parametrize("folder", ["/srv", "/mnt/two words", "/home/ada/remote", "/mnt/c"])
def test_a_network_file_system_is_refused_with_what_to_do(mounts: Path, folder: str) -> None:
    with pytest.raises(BadStore, match=r"network file system .* use a local disk, or PostgreSQL"):
        refuse_network(Path(folder) / "windlass.db", mounts)


@pytest.mark.parametrize("folder", ["/var/lib", "/srv/local", "/tmp"])  # noqa: S108
def test_a_local_one_is_not(mounts: Path, folder: str) -> None:
    refuse_network(Path(folder) / "windlass.db", mounts)


def test_where_the_system_does_not_tell_nothing_is_refused(tmp_path: Path) -> None:
    assert kind_of(tmp_path, tmp_path / "missing") is None
    refuse_network(tmp_path, tmp_path / "missing")
