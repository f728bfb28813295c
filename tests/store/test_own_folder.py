"""A folder for locks is ours alone, or there is none."""

import os
from pathlib import Path

import pytest

from windlass.store.own_folder import lock_folder, memory_folder

FLEET = "postgresql://ada:secret@db/jobs public"
OURS = f"windlass-{os.getuid()}"


def folder(within: Path, fleet: str = FLEET, **rest: Path) -> Path | None:
    return lock_folder({"RUNTIME_DIRECTORY": str(within)}, fleet, **rest)


def test_nodes_of_one_fleet_share_a_folder_that_is_for_this_account_only(tmp_path: Path) -> None:
    first, second = folder(tmp_path), folder(tmp_path)

    assert first is not None
    assert first == second
    assert first.parent == tmp_path / OURS
    assert first.parent.stat().st_mode & 0o777 == 0o700


def test_another_fleet_has_another_folder(tmp_path: Path) -> None:
    names = {folder(tmp_path, fleet) for fleet in (FLEET, FLEET.replace("public", "jobs"))}

    assert len(names) == 2


def test_a_password_leaves_no_trace_in_its_name(tmp_path: Path) -> None:
    assert folder(tmp_path) == folder(tmp_path, FLEET.replace("secret", "hidden"))


def test_of_several_folders_of_a_service_it_is_in_the_first(tmp_path: Path) -> None:
    found = lock_folder({"RUNTIME_DIRECTORY": f"{tmp_path}:/run/other"}, FLEET)

    assert found is not None
    assert found.is_relative_to(tmp_path)


def test_without_a_service_it_is_where_temporary_files_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    found = lock_folder({}, FLEET)

    assert found is not None
    assert found.is_relative_to(tmp_path)


def test_a_folder_that_others_may_write_to_is_not_used(tmp_path: Path) -> None:
    (tmp_path / OURS).mkdir()
    (tmp_path / OURS).chmod(0o770)

    assert folder(tmp_path) is None


def test_a_folder_that_is_a_link_to_one_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / OURS).symlink_to(tmp_path / "elsewhere")

    assert folder(tmp_path) is None


def test_a_folder_that_cannot_be_made_is_not_used(tmp_path: Path) -> None:
    assert folder(tmp_path / "nowhere") is None


def test_locks_are_not_kept_on_a_network_file_system(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("server:/home / nfs4 rw 0 0\n")

    assert folder(tmp_path, mounts=mounts) is None


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    """Of what a machine has mounted, some is in memory."""
    for name in ("run", "shm", "disk"):
        (tmp_path / name).mkdir()
    file = tmp_path / "mounts"
    file.write_text(
        f"disk / ext4 rw 0 0\nrun {tmp_path}/run tmpfs rw 0 0\nshm {tmp_path}/shm tmpfs rw 0 0\n"
    )
    return file


def test_memory_is_where_the_system_says_that_it_is(tmp_path: Path, mounts: Path) -> None:
    found = memory_folder({}, FLEET, mounts, tmp_path / "shm")

    assert found is not None
    assert found.parent == tmp_path / "shm" / OURS


def test_a_service_has_memory_of_its_own(tmp_path: Path, mounts: Path) -> None:
    service = {"RUNTIME_DIRECTORY": str(tmp_path / "run")}

    found = memory_folder(service, FLEET, mounts, tmp_path / "shm")

    assert found is not None
    assert found.parent == tmp_path / "run" / OURS


def test_what_is_on_a_disk_is_no_memory(tmp_path: Path, mounts: Path) -> None:
    service = {"RUNTIME_DIRECTORY": str(tmp_path / "disk")}

    assert memory_folder(service, FLEET, mounts, tmp_path / "disk") is None
    assert memory_folder(service, FLEET, mounts, tmp_path / "missing") is None
