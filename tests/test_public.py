"""The public names: few, stable, and cheap to import."""

import subprocess
import sys

import pytest

import windlass
from windlass import errors
from windlass.core import errors as core


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


def test_every_error_can_be_caught_by_its_public_name() -> None:
    found = (value for value in vars(core).values() if isinstance(value, type))
    made = {value.__name__ for value in found if issubclass(value, Exception)}

    assert set(errors.__all__) == made


@pytest.mark.parametrize(
    ("module", "loaded"),
    [
        ("windlass", []),
        ("windlass.errors", ["windlass.core", "windlass.core.errors", "windlass.errors"]),
    ],
)
def test_importing_it_imports_nothing_else(module: str, loaded: list[str]) -> None:
    program = (
        f"import sys, {module}; print(*sorted(m for m in sys.modules if m.startswith('windlass.')))"
    )

    printed = subprocess.check_output([sys.executable, "-c", program], text=True)

    assert printed.split() == loaded


def test_an_app_on_sqlite_loads_no_driver_of_postgresql() -> None:
    program = (
        "import sys; from windlass import Windlass; Windlass('sqlite://:memory:')\n"
        "print([m for m in ('asyncpg', 'psycopg', 'pydantic', 'typer', 'rich', 'sqlalchemy')"
        " if m in sys.modules])"
    )

    printed = subprocess.check_output([sys.executable, "-c", program], text=True)

    assert printed.strip() == "[]"


def test_a_command_begins_without_what_it_does_not_need() -> None:
    program = (
        "import sys; from windlass.cli import main; sys.argv[1:] = ['version']\n"
        "try: main()\n"
        "finally: print([m for m in ('aiohttp', 'asyncpg', 'pydantic', 'uvicorn')"
        " if m in sys.modules])"
    )

    printed = subprocess.check_output([sys.executable, "-c", program], text=True)

    assert printed.splitlines()[-1] == "[]"


def test_a_worker_starts_its_process_before_it_loads_what_a_store_takes() -> None:
    program = (
        "import sys, windlass.cli.worker\n"
        "print([m for m in ('asyncpg', 'rich', 'windlass.app', 'windlass.store.sql_store')"
        " if m in sys.modules])"
    )

    printed = subprocess.check_output([sys.executable, "-c", program], text=True)

    assert printed.strip() == "[]"
