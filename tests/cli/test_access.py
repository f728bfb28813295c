"""Tokens and users on the command line."""

import stat
from pathlib import Path

import jwt
import pytest

from tests.cli.terminal import Terminal

SECRET = "correct-horse-battery-staple-0123456789"  # noqa: S105 - for these tests
PASSWORD = "plenty of entropy, really"  # noqa: S105 - for these tests


def read(token: str, secret: str) -> dict[str, object]:
    """What the token says, if this secret signed it."""
    return dict(jwt.decode(token, secret, algorithms=["HS256"], audience="windlass"))


def test_only_the_token_goes_to_stdout(windlass: Terminal) -> None:
    answer = windlass("token", WINDLASS_SECRET=SECRET)

    [token] = answer.out.splitlines()
    claims = read(token, SECRET)
    assert (claims["iss"], claims["sub"], claims["scope"]) == (
        "windlass",
        "cli",
        "jobs:read jobs:write",
    )
    assert int(str(claims["exp"])) - int(str(claims["iat"])) == 30 * 86_400


def test_a_token_is_for_whom_and_what_and_how_long_one_says(windlass: Terminal) -> None:
    words = ("--scope", "admin", "--scope", "jobs:read", "--for", "ada", "--expires", "2h")

    told = windlass("token", *words, "--json", WINDLASS_SECRET=SECRET).json

    claims = read(told["access_token"], SECRET)
    assert (claims["sub"], claims["scope"]) == ("ada", "admin jobs:read")
    assert (claims["jti"], told["expires_in"]) == (told["jti"], 7200)


def test_without_a_secret_one_is_made_for_this_account_alone(windlass: Terminal) -> None:
    first = windlass("token")
    second = windlass("token")

    file = windlass.folder / ".windlass" / "secret"
    secret = file.read_text().strip()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert len(secret) >= 43
    assert read(first.out.strip(), secret)["sub"] == read(second.out.strip(), secret)["sub"]
    assert secret not in first.out + first.err


def test_a_secret_that_others_can_read_is_refused(windlass: Terminal) -> None:
    windlass("token")
    file = windlass.folder / ".windlass" / "secret"
    file.chmod(0o640)

    answer = windlass("token")

    assert answer.code == 2
    assert f"chmod 600 {file}" in answer.err
    assert answer.out == ""


@pytest.mark.parametrize(
    ("words", "env", "told"),
    [
        ((), {"WINDLASS_SECRET": "short"}, "openssl rand"),
        (("--scope", "jobs:own"), {}, "there are jobs:read, jobs:write, admin"),
        (("--expires", "400d"), {}, "366 d"),
        (("--expires", "soon"), {}, "no duration"),
        (("--for", ""), {}, "printable characters"),
        ((), {"WINDLASS_JWKS": "keys.json", "WINDLASS_SECRET": ""}, "set WINDLASS_SECRET"),
    ],
)
def test_a_token_that_cannot_be_is_refused_with_the_reason(
    windlass: Terminal, words: tuple[str, ...], env: dict[str, str], told: str
) -> None:
    answer = windlass("token", *words, **{"WINDLASS_SECRET": SECRET, **env})

    assert answer.code == 2
    assert told in " ".join(answer.err.split())
    assert answer.out == ""


def test_a_weak_secret_is_not_repeated(windlass: Terminal) -> None:
    answer = windlass("token", WINDLASS_SECRET="hunter2hunter2")  # noqa: S106 - for this test

    assert "hunter2" not in answer.err


def test_a_user_is_added_listed_changed_and_removed(windlass: Terminal) -> None:
    added = windlass("user", "add", "ada", "--scope", "admin", "--password-stdin", stdin=PASSWORD)
    [listed] = windlass("user", "list", "--json").json
    changed = windlass("user", "password", "ada", "--password-stdin", stdin=f"{PASSWORD}!\n")
    removed = windlass("user", "remove", "ada")

    assert added.out == "user ada can log in, for admin\n"
    assert (listed["name"], listed["scopes"]) == ("ada", ["admin"])
    assert (changed.code, removed.code) == (0, 0)
    assert windlass("user", "list", "--json").json == []


def test_users_are_kept_on_postgres_too(windlass_on_postgres: Terminal) -> None:
    windlass_on_postgres("user", "add", "ada", "--password-stdin", stdin=PASSWORD)

    shown = windlass_on_postgres("user", "list").out

    assert shown.splitlines()[1].split()[:3] == ["ada", "jobs:read", "jobs:write"]


def test_a_user_can_be_added_once(windlass: Terminal) -> None:
    windlass("user", "add", "ada", "--password-stdin", stdin=PASSWORD)

    again = windlass("user", "add", "ada", "--password-stdin", stdin=PASSWORD)

    assert again.code == 2
    assert "windlass user password ada" in again.err


@pytest.mark.parametrize(
    ("words", "stdin", "told"),
    [
        (("add", "Ada", "--password-stdin"), PASSWORD, "a user's name has"),
        (("add", "ada", "--password-stdin"), "short", "12 to 1024 characters"),
        (("add", "ada", "--password-stdin"), "aaaaaaaaaaaaaaa", "easily guessed"),
        (("add", "ada", "--password-stdin"), "ada is my own name", "easily guessed"),
        (("add", "ada", "--scope", "all", "--password-stdin"), PASSWORD, "no scope 'all'"),
        (("add", "ada"), PASSWORD, "--password-stdin"),
        (("add",), PASSWORD, "say whom"),
        (("remove", "nobody"), "", "windlass user list"),
        (("password", "nobody", "--password-stdin"), PASSWORD, "windlass user list"),
    ],
)
def test_a_user_that_cannot_be_is_refused_with_the_reason(
    windlass: Terminal, words: tuple[str, ...], stdin: str, told: str
) -> None:
    answer = windlass("user", *words, stdin=stdin)

    assert answer.code == 2
    assert told in answer.err
    assert stdin == "" or stdin not in answer.err
    assert windlass("user", "list", "--json").json == []


def test_no_password_is_kept_in_the_open(windlass: Terminal) -> None:
    windlass("user", "add", "ada", "--password-stdin", stdin=PASSWORD)

    kept = b"".join(
        file.read_bytes() for file in Path(windlass.folder).glob("windlass.db*") if file.is_file()
    )
    assert b"$argon2id$" in kept
    assert PASSWORD.encode() not in kept
