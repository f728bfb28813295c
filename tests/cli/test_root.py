"""The command line as a whole."""

import re
from importlib import import_module

import pytest

from tests.cli.terminal import Terminal
from windlass.cli.root import COMMANDS, PLACES

# What takes long to import, and what help can do without.
SLOW = ("asyncio", "asyncpg", "msgspec", "prometheus_client", "sqlite3", "structlog", "uvloop")


def test_help_lists_every_command(windlass: Terminal) -> None:
    answer = windlass("--help")

    assert answer.code == 0
    for name in PLACES:
        assert re.search(rf"│ {name} +\w", answer.out), name


def test_help_imports_nothing_slow(windlass: Terminal) -> None:
    answer = windlass("--help", PYTHONPROFILEIMPORTTIME="1")

    imported = {line.rpartition("|")[2].strip() for line in answer.err.splitlines()}
    assert "typer" in imported
    assert imported.isdisjoint(SLOW)


@pytest.mark.parametrize("name", PLACES)
def test_the_help_of_each_command_shows_an_example(windlass: Terminal, name: str) -> None:
    answer = windlass.cold(name, "--help")  # with nothing imported but what it imports

    assert answer.code == 0
    assert f"Example: windlass {name}" in answer.out
    assert "--json" in answer.out
    assert "--store" in answer.out
    assert not re.search("<(bool|str|int|list)", answer.out)


def test_the_list_of_commands_says_what_each_command_says() -> None:
    listed = {place: summary for panel in COMMANDS.values() for place, summary in panel.items()}

    said = {place: _first_line_of(place) for place in listed}

    assert listed == said


def test_a_command_that_does_not_exist_is_a_usage_error_with_a_suggestion(
    windlass: Terminal,
) -> None:
    answer = windlass("jobz")

    assert answer.code == 2
    assert "Did you mean" in answer.err
    assert answer.out == ""


def test_options_may_stand_before_the_command_too(windlass: Terminal, sqlite_url: str) -> None:
    before = windlass("--json", "--store", sqlite_url, "stats", WINDLASS_STORE="")
    after = windlass("stats", "--json", "--store", sqlite_url, WINDLASS_STORE="")

    assert before.code == 0
    assert before.json == after.json


def test_version_says_which_one_this_is(windlass: Terminal) -> None:
    answer = windlass("version", "--json")

    assert answer.code == 0
    assert answer.json["windlass"]
    assert windlass("version").out.startswith(f"windlass {answer.json['windlass']}")
    assert windlass("--version").out == windlass("version").out


def test_a_store_that_cannot_be_is_told_in_one_sentence(windlass: Terminal) -> None:
    answer = windlass("jobs", "--store", "mysql://here")

    assert answer.code == 2
    assert answer.err.startswith("error: 'mysql://here' is no store")
    assert "Traceback" not in answer.err
    assert answer.out == ""


def test_a_file_that_is_no_database_is_told_in_one_sentence(windlass: Terminal) -> None:
    (windlass.folder / "letter").write_text("dear database " * 1000)

    answer = windlass("jobs", "--store", "sqlite:///letter")

    assert answer.code == 2
    assert "letter cannot be used as a database" in answer.err
    assert "Traceback" not in answer.err


def test_a_server_that_is_away_has_an_exit_code_of_its_own(windlass: Terminal) -> None:
    answer = windlass("jobs", "--store", "postgresql://nobody@127.0.0.1:1/nothing")

    assert answer.code == 3
    assert "cannot reach PostgreSQL" in answer.err
    assert "try: what is wrong with it: windlass doctor" in answer.err
    assert "Traceback" not in answer.err


def test_debugging_shows_where_an_error_arose(windlass: Terminal) -> None:
    answer = windlass("jobs", "--store", "mysql://here", WINDLASS_DEBUG="1")

    assert answer.code == 1
    assert "Traceback" in answer.err


def test_a_password_is_never_shown(windlass: Terminal) -> None:
    url = "postgresql://ada:s3cret@127.0.0.1:1/nothing"

    answers = [windlass("doctor", "--store", url), windlass("doctor", "--store", url, "--json")]

    for answer in answers:
        assert "s3cret" not in answer.out + answer.err


def test_colours_are_for_terminals(windlass: Terminal) -> None:
    windlass.enqueued("greet")

    piped = windlass("jobs")
    seen = windlass.on_screen("jobs", columns=120)
    without = windlass.on_screen("jobs", columns=120, NO_COLOR="1")

    assert "\x1b" not in piped.out + piped.err
    assert "\x1b[33m○ pending" in seen
    assert "\x1b[33m" not in without
    assert "○ pending" in without


def test_an_id_is_whole_on_a_narrow_terminal(windlass: Terminal) -> None:
    job_id = windlass.enqueued("a-type-with-a-long-name", "--name", "a job with a long name")

    seen = windlass.on_screen("jobs", columns=80)

    [row] = [line for line in seen.splitlines() if line.startswith(job_id)]
    assert "○ pending" in row
    assert "a-type-…" in row


def test_an_id_and_its_type_are_shown_on_half_a_terminal(windlass: Terminal) -> None:
    job_id = windlass.enqueued("greet")

    seen = windlass.on_screen("jobs", columns=60)

    [row] = [line for line in seen.splitlines() if line.startswith(job_id)]
    assert row.split()[1:] == ["\x1b[33m○", "pending\x1b[0m", "greet"]


def _first_line_of(place: str) -> str:
    module, _, verb = place.partition(".")
    documented = getattr(import_module(f"windlass.cli.{module}"), verb).__doc__
    return str(documented.splitlines()[0])
