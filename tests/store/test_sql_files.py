"""The SQL itself: every file says what it promises, reads alike, runs, and has its twin."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

import windlass.store
from windlass.store.migrate import steps
from windlass.store.queries import shipped

STORE = Path(windlass.store.__file__).parent
FILES = sorted((STORE / "sql").glob("*/*.sql"))
MIGRATIONS = sorted((STORE / "migrations").glob("*/*.sql"))

SQLITE, POSTGRES = shipped("sqlite"), shipped("postgres")

# Whole days of history are dropped; SQLite has no partitions, and `prune_days` finds none. It fits
# threads together outside of SQL, so it claims those who want none by the same file.
OF_POSTGRES = {"claim_open", "prune_drop", "prune_tally"}
# Only SQLite keeps a job that comes alone apart before it puts it in line.
OF_SQLITE = {"line_up", "newcomer"}
# Ranges spare PostgreSQL dead rows, which SQLite has none of. Nor does it ring: its bell is between
# processes of one machine.
TOLD_TO_POSTGRES = {"los", "his", "channel", "words", "told"}


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def names(dialect: str) -> set[str]:
    return {path.name.removesuffix(".sql") for path in FILES if path.parent.name == dialect}


def without_words_of_ours(text: str) -> str:
    """The text without comments and literals."""
    return re.sub(r"--[^\n]*|'[^']*'|\$\$.*?\$\$", "", text, flags=re.DOTALL)


def promises(path: Path) -> bool:
    first, _, rest = path.read_text().partition("\n")
    return bool(re.match(r"-- [A-Z].*[.:]$", first) and rest.strip())


def reads_alike(path: Path) -> bool:
    """Whether it is in lower case and fits the page."""
    text = path.read_text()
    lower = not re.search(r"[A-Z]", without_words_of_ours(text))
    long = [line for line in text.splitlines() if len(line) > 120 or line != line.rstrip()]
    return lower and text.endswith("\n") and "\t" not in text and not long


def is_one_statement(path: Path) -> bool:
    return ";" not in without_words_of_ours(path.read_text())


def test_the_first_line_says_the_promise() -> None:
    assert [name(path) for path in (*FILES, *MIGRATIONS) if not promises(path)] == []


def test_sql_is_written_in_lower_case_and_fits_the_page() -> None:
    assert [name(path) for path in (*FILES, *MIGRATIONS) if not reads_alike(path)] == []


def test_a_file_is_one_statement() -> None:
    assert [name(path) for path in FILES if not is_one_statement(path)] == []


def test_every_statement_has_its_twin() -> None:
    common, postgres, sqlite = names("common"), names("postgres"), names("sqlite")
    whole = {one for one in sqlite if "." not in one}

    assert postgres - common - whole == OF_POSTGRES
    assert whole - postgres - common == OF_SQLITE


def test_a_step_is_named_after_the_statement_it_belongs_to() -> None:
    parts = {one.partition(".")[0] for one in names("sqlite") if "." in one}

    assert parts <= names("sqlite")


@pytest.mark.parametrize("statement", sorted(names("postgres") & names("sqlite")))
def test_twins_take_the_same_arguments(statement: str) -> None:
    ours = set(SQLITE[statement].parameters) - {"now"}
    theirs = set(POSTGRES[statement].parameters) - {"now"}
    steps_of = {
        parameter
        for step in names("sqlite")
        if step.startswith(f"{statement}.") or step == "claim.take"
        for parameter in SQLITE[step].parameters
    }

    assert ours <= theirs
    assert theirs - ours - steps_of - TOLD_TO_POSTGRES == set()


def is_used(path: Path, code: str) -> bool:
    statement = path.name.removesuffix(".sql")
    stem, _, step = statement.partition(".")
    return f'"{statement}"' in code or (f'"{stem}.{{part}}"' in code and f'"{step}"' in code)


def test_every_file_is_used() -> None:
    code = "".join(file.read_text() for file in STORE.glob("*.py"))

    assert [name(path) for path in FILES if not is_used(path, code)] == []


@pytest.fixture(scope="module")
def tables() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    for step in steps("sqlite"):
        connection.executescript(step.up)
    yield connection
    connection.close()


@pytest.mark.parametrize("statement", sorted(SQLITE))
def test_sqlite_can_run_every_statement(tables: sqlite3.Connection, statement: str) -> None:
    query = SQLITE[statement]

    tables.execute(f"explain {query.text}", dict.fromkeys(query.parameters)).fetchall()


async def test_postgres_can_run_every_statement(shared_postgres_url: str) -> None:
    connection = await asyncpg.connect(shared_postgres_url)

    for statement in sorted(POSTGRES):
        await connection.prepare(POSTGRES[statement].numbered)

    await connection.close()
