"""Programs of ours read without looking for garbage, and look for it from then on."""

import gc
import subprocess
from pathlib import Path

import pytest

from windlass.starting import program, read

MODULE = """
import gc, sys

WHILE_READ = gc.isenabled()


def main():
    print(WHILE_READ, gc.isenabled(), gc.get_freeze_count() > 1_000, sys.argv[1:])
"""


def test_a_program_is_read_without_looking_for_garbage_and_runs_with_what_it_is_given(
    tmp_path: Path,
) -> None:
    (tmp_path / "errand.py").write_text(MODULE)

    said = subprocess.check_output(program("errand", "a", "b"), cwd=tmp_path, text=True)

    assert said == "False True True ['a', 'b']\n"


def test_garbage_is_looked_for_again_also_if_a_module_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_errand.py").write_text("raise LookupError")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(LookupError):
        read("broken_errand")

    assert gc.isenabled()
