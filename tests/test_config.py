"""Where settings come from, and what is said about a wrong one."""

from datetime import timedelta
from pathlib import Path

import pytest

from windlass.config import DEFAULT_STORE, Settings, load
from windlass.core.errors import BadInput, BadStore


def test_without_anything_there_are_defaults(tmp_path: Path) -> None:
    settings = load({}, tmp_path)

    assert settings == Settings()
    assert settings.store == DEFAULT_STORE == "sqlite:///./.windlass/windlass.db"
    assert set(settings.sources.values()) == {"default"}


def test_the_environment_sets_everything(tmp_path: Path) -> None:
    environ = {
        "WINDLASS_STORE": "postgresql://h/d",
        "WINDLASS_SCHEMA": "jobs",
        "WINDLASS_APP": "shop.jobs:app",
        "WINDLASS_SLOTS": "7",
        "WINDLASS_THREADS": "3",
        "WINDLASS_PROCESSES": "2",
        "WINDLASS_POOL_THREADS": "4",
        "WINDLASS_QUEUES": "mail, reports,",
        "WINDLASS_POLL": "500ms",
        "WINDLASS_DRAIN": "2m",
        "WINDLASS_LEASE": "30",
        "WINDLASS_RETENTION": "30d",
        "WINDLASS_LOG": "debug",
        "WINDLASS_PGBOUNCER": "1",
        "WINDLASS_UNSAFE": "true",
    }

    settings = load(environ, tmp_path)

    assert settings == Settings(
        store="postgresql://h/d",
        schema="jobs",
        app="shop.jobs:app",
        slots=7,
        threads=3,
        processes=2,
        pool_threads=4,
        queues=("mail", "reports"),
        poll=timedelta(seconds=0.5),
        drain=timedelta(minutes=2),
        lease=timedelta(seconds=30),
        retention=timedelta(days=30),
        log="debug",
        pgbouncer=True,
        unsafe=True,
    )
    assert settings.sources["slots"] == "WINDLASS_SLOTS"


def test_each_source_gives_way_to_the_one_that_is_nearer(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.windlass]\nslots = 1\ndrain = "1s"\nlog = "error"\nqueues = ["a"]\n'
    )
    (tmp_path / "windlass.toml").write_text("slots = 2\ndrain = 2\n")
    environ = {"WINDLASS_SLOTS": "3", "DATABASE_URL": "postgres://one/d"}

    settings = load(environ, tmp_path, {"slots": 4, "schema": None})

    assert (settings.slots, settings.drain, settings.log) == (4, timedelta(seconds=2), "error")
    assert (settings.queues, settings.store) == (("a",), "postgres://one/d")
    sources = settings.sources
    assert (sources["slots"], sources["drain"]) == ("the program", "windlass.toml")
    assert (sources["log"], sources["store"]) == ("pyproject.toml", "DATABASE_URL")
    assert sources["schema"] == "default"


def test_our_own_variable_wins_over_the_one_that_platforms_set(tmp_path: Path) -> None:
    environ = {"DATABASE_URL": "postgres://one/d", "WINDLASS_STORE": "postgres://two/d"}

    assert load(environ, tmp_path).store == "postgres://two/d"


def test_an_empty_variable_says_nothing(tmp_path: Path) -> None:
    assert load({"WINDLASS_SLOTS": "", "DATABASE_URL": ""}, tmp_path) == Settings()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("WINDLASS_SLOTS", "many", "WINDLASS_SLOTS must be a whole number from 1 .* not 'many'"),
        ("WINDLASS_SLOTS", "0", "WINDLASS_SLOTS must be"),
        ("WINDLASS_THREADS", "-1", "WINDLASS_THREADS must be"),
        ("WINDLASS_DRAIN", "soon", "WINDLASS_DRAIN must be a duration such as 500ms"),
        ("WINDLASS_LOG", "loud", "WINDLASS_LOG must be debug, info, warning or error"),
        ("WINDLASS_UNSAFE", "maybe", "WINDLASS_UNSAFE must be 1 or 0"),
        ("WINDLASS_SCHEMA", "Jobs!", "WINDLASS_SCHEMA must be a plain lower-case SQL name"),
        ("WINDLASS_APP", "app.py", "WINDLASS_APP must be an app, as module:name"),
        ("WINDLASS_QUEUES", ",", "WINDLASS_QUEUES must be queues, as in mail,reports"),
        ("WINDLASS_POLL", "0", "poll must be more than 0 s"),
        ("WINDLASS_LEASE", "1s", "lease at least 2 s"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_accepted(
    name: str, value: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=said):
        load({name: value}, tmp_path)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("windlass.toml", "slot = 5", "windlass.toml: no setting 'slot'; did you mean 'slots'?"),
        ("windlass.toml", "zzz = 5", "no setting 'zzz'; there are store, schema"),
        ("windlass.toml", "slots = ", "windlass.toml cannot be read"),
        ("windlass.toml", "store = 5", "windlass.toml must be some text, not 5"),
        ("pyproject.toml", "[tool.windlass]\nslots = 'x'", "pyproject.toml must be a whole"),
    ],
)
def test_a_wrong_file_is_named(file: str, text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(text)

    with pytest.raises(BadInput, match=said):
        load({}, tmp_path)


def test_what_the_program_gives_is_checked_too(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the program: no setting 'url'"):
        load({}, tmp_path, {"url": "x"})


def test_a_store_that_cannot_be_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(BadStore, match="is no store"):
        load({"WINDLASS_STORE": "mysql://h/d"}, tmp_path)


def test_no_password_is_shown(tmp_path: Path) -> None:
    settings = load({"WINDLASS_STORE": "postgresql://u:s3cret@h/d"}, tmp_path)

    assert "s3cret" not in repr(settings)
    assert "postgresql://u:***@h/d" in repr(settings)
