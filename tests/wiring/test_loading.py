"""An app is found by its name, or the error says what is wrong with the name."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from windlass.core.errors import BadInput
from windlass.wiring import Windlass
from windlass.wiring.loading import load_app


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder one is in; what is imported from it is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        del sys.modules[name]


def test_an_app_in_the_folder_one_is_in_is_found(folder: Path) -> None:
    (folder / "found_here.py").write_text("from windlass import Windlass\napp = Windlass()\n")

    assert isinstance(load_app("found_here:app"), Windlass)


def test_an_app_may_be_an_attribute_of_something_in_the_module(folder: Path) -> None:
    (folder / "found_deep.py").write_text(
        "from windlass import Windlass\nclass shop:\n    app = Windlass()\n"
    )

    assert isinstance(load_app("found_deep:shop.app"), Windlass)


@pytest.mark.parametrize("name", ["shop", ":app", "shop:", ""])
def test_a_name_without_a_colon_in_the_middle_names_no_app(name: str) -> None:
    with pytest.raises(BadInput, match="module:name"):
        load_app(name)


def test_a_module_that_is_not_there_is_named() -> None:
    with pytest.raises(BadInput, match="'nowhere'"):
        load_app("nowhere:app")


def test_a_module_that_misses_something_itself_says_so_in_its_own_words(folder: Path) -> None:
    (folder / "found_broken.py").write_text("import not_installed_anywhere\n")

    with pytest.raises(ModuleNotFoundError, match="not_installed_anywhere"):
        load_app("found_broken:app")


def test_a_module_without_the_app_is_named(folder: Path) -> None:
    (folder / "found_empty.py").write_text("")

    with pytest.raises(BadInput, match="found_empty:app"):
        load_app("found_empty:app")


def test_something_that_is_no_app_is_refused(folder: Path) -> None:
    (folder / "found_other.py").write_text("app = 3\n")

    with pytest.raises(BadInput, match="is a int, not a Windlass"):
        load_app("found_other:app")
