"""Bringing tables to this program's version, and back."""

import psycopg

from tests.cli.strangers import stranger
from tests.cli.terminal import Terminal


def test_up_applies_what_is_missing_and_nothing_twice(windlass: Terminal) -> None:
    first = windlass("migrate", "up", "--json")
    second = windlass("migrate", "up", "--json")

    assert first.json["applied"][0]["number"] == 1
    assert second.json == {"applied": []}


def test_status_changes_nothing_and_says_what_is_missing(windlass: Terminal) -> None:
    before = windlass("migrate", "status")
    windlass("migrate", "up")
    after = windlass("migrate", "status", "--json")

    assert "not yet" in before.out
    assert "windlass migrate up" in before.err
    assert all(step["applied_at"] for step in after.json)


def test_down_asks_first(windlass: Terminal) -> None:
    windlass("migrate", "up")

    unsure = windlass("migrate", "down")
    sure = windlass("migrate", "down", "--to", "0", "--yes", "--json")

    assert unsure.code == 2
    assert "say --yes" in unsure.err
    assert sure.json["undone"][-1]["number"] == 1
    assert not any(step["applied_at"] for step in windlass("migrate", "status", "--json").json)


def test_postgres_is_migrated_back_and_forth(windlass_on_postgres: Terminal) -> None:
    windlass = windlass_on_postgres

    down = windlass("migrate", "down", "--to", "0", "--yes")
    missing = windlass("jobs")
    up = windlass("migrate", "up")

    assert (down.code, up.code) == (0, 0)
    assert missing.code == 3
    assert "windlass migrate up" in missing.err
    assert windlass("jobs", "--json").json == []


def test_a_direction_that_does_not_exist_is_a_usage_error(windlass: Terminal) -> None:
    answer = windlass("migrate", "sideways")

    assert answer.code == 2
    assert "'up', 'down'" in answer.err


def test_a_role_needs_no_right_to_make_a_schema_that_is_there(
    windlass_on_postgres: Terminal, postgres_url: str
) -> None:
    with stranger(postgres_url) as role, psycopg.connect(postgres_url, autocommit=True) as owner:
        owner.execute(f"create schema mine authorization {role.name}".encode())

        answer = windlass_on_postgres("migrate", "up", "--store", role.url, WINDLASS_SCHEMA="mine")

    assert (answer.code, answer.err) == (0, "")
