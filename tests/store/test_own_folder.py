"""A folder for locks is ours alone, or there is none."""

import os
from pathlib import Path

import pytest

from windlass.store.own_folder import MEMORY, lock_folder, memory_folder

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


def test_memory_is_where_the_system_says_that_it_is(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"tmpfs / ext4 rw 0 0\nshm {MEMORY} tmpfs rw 0 0\n")

    found = memory_folder(FLEET, mounts)

    assert found is not None
    assert found.parent == MEMORY / OURS


def test_without_memory_there_is_no_folder(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("disk / ext4 rw 0 0\n")

    assert memory_folder(FLEET, mounts) is None
