"""The public names: few, stable, and cheap to import."""

import subprocess
import sys

import pytest

import windlass


def test_the_public_names_are_these() -> None:
    assert windlass.__all__ == [
        "Backoff",
        "Cancel",
        "Context",
        "Discard",
        "Enqueued",
        "Job",
        "JobType",
        "NewJob",
        "Retry",
        "Snooze",
        "State",
        "Windlass",
        "WindlassError",
    ]


@pytest.mark.parametrize("name", [*windlass.__all__, "__version__"])
def test_each_name_is_there(name: str) -> None:
    assert getattr(windlass, name) is not None
    assert name in dir(windlass)


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'windlass' has no attribute 'Windless'"):
        _ = windlass.Windless  # type: ignore[attr-defined]


def test_importing_it_imports_nothing_else() -> None:
    program = "import sys, windlass; print([m for m in sys.modules if m.startswith('windlass.')])"

    printed = subprocess.check_output([sys.executable, "-c", program], text=True)

    assert printed.strip() == "[]"


def test_an_app_on_sqlite_loads_no_driver_of_postgresql() -> None:
    program = (
        "import sys; from windlass import Windlass; Windlass('sqlite://:memory:')\n"
        "print([m for m in ('asyncpg', 'psycopg', 'pydantic', 'typer', 'rich', 'sqlalchemy')"
        " if m in sys.modules])"
    )

    printed = subprocess.check_output([sys.executable, "-c", program], text=True)

    assert printed.strip() == "[]"
