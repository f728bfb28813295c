"""`windlass user`: who can log in."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, assert_never

import typer

from windlass.cli import look
from windlass.cli.desk import Desk
from windlass.cli.token import DEFAULT_SCOPES, Scopes
from windlass.cli.words import both
from windlass.core.errors import BadInput

if TYPE_CHECKING:
    from windlass.http.people import People


class Action(StrEnum):
    """What to do."""

    ADD = "add"
    LIST = "list"
    REMOVE = "remove"
    PASSWORD = "password"  # noqa: S105 - the name of an action


What = Annotated[Action, typer.Argument(metavar="ACTION", help="What to do.")]
Name = Annotated[str | None, typer.Argument(metavar="NAME", help="The user's name.")]
FromStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from stdin; else it is asked.")
]


async def user(
    desk: Desk,
    action: What,
    name: Name = None,
    *,
    scope: Scopes = None,
    password_stdin: FromStdin = False,
) -> None:
    """Add, list or remove users who can log in, or change a password.

    A user who is removed or gets another password is logged out everywhere.

    Example: windlass user add ada --scope jobs:read --scope admin
    """
    async with _people(desk) as people:
        match action:
            case Action.LIST:
                await _list(desk, people)
            case Action.ADD:
                await _add(desk, people, _named(name), scope, stdin=password_stdin)
            case Action.REMOVE:
                await _remove(desk, people, _named(name))
            case Action.PASSWORD:
                await _password(desk, people, _named(name), stdin=password_stdin)
            case _:
                assert_never(action)


@asynccontextmanager
async def _people(desk: Desk) -> AsyncIterator[People]:
    from windlass.http.passwords import Passwords  # noqa: PLC0415 - as others; --help needs none
    from windlass.http.people import People  # noqa: PLC0415
    from windlass.store.users import SqlUsers  # noqa: PLC0415

    store = await desk.app.storehouse.store(connections=1)
    passwords = Passwords()
    try:
        yield People(SqlUsers(store.database), passwords)
    finally:
        passwords.close()
        await store.close()


async def _list(desk: Desk, people: People) -> None:
    found = await people.all()
    told = [
        {"name": one.name, "scopes": list(one.scopes), "created_at": one.created_at}
        for one in found
    ]
    rows = [(one.name, " ".join(one.scopes), both(one.created_at, desk.now)) for one in found]
    shown = look.table(("user", "scopes", "added"), rows) if rows else "no users"
    desk.answer(told, shown)
    if not found:
        desk.suggest("add one: windlass user add NAME")


async def _add(
    desk: Desk, people: People, name: str, scopes: list[str] | None, *, stdin: bool
) -> None:
    granted = scopes or list(DEFAULT_SCOPES)
    if not await people.add(name, _secret_word(stdin=stdin), granted):
        raise BadInput(f"there is a user {name} already; change it: windlass user password {name}")
    desk.answer(
        {"name": name, "scopes": sorted(granted)},
        look.text(f"user {name} can log in, for {' and '.join(sorted(granted))}"),
    )


async def _remove(desk: Desk, people: People, name: str) -> None:
    if not await people.remove(name):
        raise _nobody(name)
    desk.answer({"name": name, "removed": True}, look.text(f"user {name} is removed"))


async def _password(desk: Desk, people: People, name: str, *, stdin: bool) -> None:
    if await people.find(name) is None:
        raise _nobody(name)
    if not await people.set_password(name, _secret_word(stdin=stdin)):
        raise _nobody(name)
    desk.answer({"name": name, "changed": True}, look.text(f"user {name} has another password"))


def _named(name: str | None) -> str:
    if name is None:
        raise BadInput("say whom: windlass user ACTION NAME")
    return name


def _nobody(name: str) -> BadInput:
    return BadInput(f"no user {name}; who there is: windlass user list")


def _secret_word(*, stdin: bool) -> str:
    if stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise BadInput("there is nobody to ask for a password; say --password-stdin and pipe it in")
    asked: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return asked
