"""The secret in a file: made once, for this account alone, never half."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from windlass.clock import SystemChance
from windlass.core.address import parse_store_url
from windlass.core.errors import BadInput
from windlass.http.secret import kept, place


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / ".windlass" / "secret"


def test_a_secret_is_made_once_for_this_account_alone(file: Path) -> None:
    before = os.umask(0)  # the worst that could be set
    try:
        first = kept(file, SystemChance())
    finally:
        os.umask(before)
    second = kept(file, SystemChance())

    assert first.value == second.value == file.read_bytes().strip()
    assert len(first.value) == 43
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert os.listdir(file.parent) == ["secret"]  # noqa: PTH208 - names, nothing else


def test_all_who_come_first_at_once_get_the_same(file: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: kept(file, SystemChance()).value, range(32)))

    assert len(set(found)) == 1
    assert os.listdir(file.parent) == ["secret"]  # noqa: PTH208 - names, nothing else


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o777])
def test_a_secret_that_others_can_read_is_refused(file: Path, mode: int) -> None:
    kept(file, SystemChance())
    file.chmod(mode)

    with pytest.raises(BadInput, match="chmod 600") as refused:
        kept(file, SystemChance())

    assert file.read_text().strip() not in str(refused.value)


def test_a_secret_is_not_read_through_a_link(file: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("a secret that somebody else has chosen for us\n")
    elsewhere.chmod(0o600)
    file.parent.mkdir()
    file.symlink_to(elsewhere)

    with pytest.raises(BadInput, match="set WINDLASS_SECRET instead"):
        kept(file, SystemChance())


@pytest.mark.parametrize("text", ["", "short\n", "x" * 50])
def test_a_file_that_holds_no_good_secret_is_refused(file: Path, text: str) -> None:
    file.parent.mkdir()
    file.write_text(text)
    file.chmod(0o600)

    with pytest.raises(BadInput, match="openssl rand"):
        kept(file, SystemChance())


def test_a_folder_in_its_place_is_refused(file: Path) -> None:
    file.mkdir(parents=True)

    with pytest.raises(BadInput):
        kept(file, SystemChance())


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("sqlite:///./.windlass/windlass.db", ".windlass/secret"),
        ("sqlite:////var/lib/jobs.db", "/var/lib/.windlass/secret"),
        ("sqlite://:memory:", "/here/.windlass/secret"),
        ("postgresql://server/jobs", "/here/.windlass/secret"),
    ],
)
def test_a_secret_is_kept_beside_the_store_it_guards(url: str, where: str) -> None:
    found = place(parse_store_url(url), Path("/here"))

    assert found == Path(where)
