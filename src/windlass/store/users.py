"""Keeps people and how they got in: users, sessions, logins, and what was revoked."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from windlass.store import rows
from windlass.store.asking import Asking
from windlass.store.base import Database
from windlass.store.rows import MICROSECOND
from windlass.store.script import Row, Rows, Script, Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """Somebody who may log in. `password` is a hash, and shown to nobody all the same."""

    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Periods:
    """How long things last that open doors."""

    session_idle: timedelta = timedelta(minutes=30)
    session_whole: timedelta = timedelta(hours=12)
    session_touch: timedelta = timedelta(minutes=1)  # use is noted no more often than this
    login_idle: timedelta = timedelta(days=7)
    login_whole: timedelta = timedelta(days=30)
    # The longest that a token given to a login may still be used after the login has ended.
    access: timedelta = timedelta(minutes=16)


class Revoked(NamedTuple):
    """Ids of tokens and logins that are no longer good, as of a time of the database."""

    ids: frozenset[str]
    now_us: int


class Renewal(NamedTuple):
    """Whose login was renewed; or, if nobody's, whether a login was ended for it."""

    user: User | None
    ended: bool = False


class Users(Protocol):
    """Keeps users, and of what opens a door for them only digests."""

    async def add(self, name: str, password: str, scopes: tuple[str, ...]) -> bool:
        """Make a user known by the hash of a password; false if the name is taken."""
        ...

    async def user(self, name: str) -> User | None:
        """One user."""
        ...

    async def users(self) -> list[User]:
        """Every user, by name."""
        ...

    async def remove(self, name: str) -> bool:
        """Forget a user and revoke all that was given to them; false if there was none."""
        ...

    async def set_password(self, name: str, password: str) -> bool:
        """Change the password, and end every session and login; false if there is no such user."""
        ...

    async def rehash(self, name: str, password: str, better: str) -> None:
        """Replace a hash by a better one of the same password."""
        ...

    async def begin_session(self, name: str, digest: str) -> bool:
        """Begin a session; false if there is no such user."""
        ...

    async def session(self, digest: str) -> User | None:
        """Whose session this is, if it still lasts; looking keeps it from idling."""
        ...

    async def end_session(self, digest: str) -> None:
        """End a session, if it still lasts."""
        ...

    async def begin_login(self, name: str, family: str, digest: str) -> bool:
        """Begin a login whose refresh token has this digest; false if there is no such user."""
        ...

    async def renew_login(self, family: str, brought: str, digest: str) -> Renewal:
        """Exchange a refresh token for the next one, once.

        A token that was exchanged before may be stolen: the whole login ends and is revoked.
        """
        ...

    async def end_login(self, family: str) -> None:
        """End a login, and revoke what was given to it."""
        ...

    async def revoke(self, token: str, lasting: timedelta) -> None:
        """Refuse a token by its id for as long as it could be used."""
        ...

    async def revoked(self, since_us: int) -> Revoked:
        """What was revoked after that time of the database."""
        ...


class SqlUsers(Asking):
    """Keeps users in the store's own database; see `Users` for what each verb promises."""

    def __init__(self, database: Database, periods: Periods | None = None) -> None:
        """Speak to `database`."""
        self.database = database
        self._periods = periods or Periods()

    async def add(self, name: str, password: str, scopes: tuple[str, ...]) -> bool:
        """Make a user known."""
        said = {"name": name, "password": password, "scopes": " ".join(scopes)}
        return bool(await self._write("user_add", **said))

    async def user(self, name: str) -> User | None:
        """One user."""
        return _first(await self._read("user", name=name))

    async def users(self) -> list[User]:
        """Every user, by name."""
        return [_user(row) for row in await self._read("users")]

    async def remove(self, name: str) -> bool:
        """Forget a user and revoke all that was given to them."""
        return await self.database.run(self._remove(name))

    async def set_password(self, name: str, password: str) -> bool:
        """Change the password, and end every session and login."""
        return await self.database.run(self._set_password(name, password))

    async def rehash(self, name: str, password: str, better: str) -> None:
        """Replace a hash by a better one of the same password."""
        await self._write("user_rehash", name=name, password=password, better=better)

    async def begin_session(self, name: str, digest: str) -> bool:
        """Begin a session."""
        return await self.database.run(self._begin_session(name, digest))

    async def session(self, digest: str) -> User | None:
        """Whose session this is, if it still lasts."""
        found = await self._read(
            "session",
            digest=digest,
            idle_us=_us(self._periods.session_idle),
            whole_us=_us(self._periods.session_whole),
            touch_us=_us(self._periods.session_touch),
        )
        if found and found[0]["worn"]:
            await self._write("session_touch", digest=digest)
        return _first(found)

    async def end_session(self, digest: str) -> None:
        """End a session, if it still lasts."""
        await self._write("session_end", digest=digest)

    async def begin_login(self, name: str, family: str, digest: str) -> bool:
        """Begin a login."""
        return await self.database.run(self._begin_login(name, family, digest))

    async def renew_login(self, family: str, brought: str, digest: str) -> Renewal:
        """Exchange a refresh token for the next one, once."""
        # Anybody may bring anything: who makes it up keeps nobody from writing.
        if not await self._read("login", family=family):
            return Renewal(None)
        return await self.database.run(self._renew_login(family, brought, digest))

    async def end_login(self, family: str) -> None:
        """End a login, and revoke what was given to it."""
        await self.database.run(self._end_login(family))

    async def revoke(self, token: str, lasting: timedelta) -> None:
        """Refuse a token by its id for as long as it could be used."""
        await self.database.run(self._revoke(token, lasting))

    async def revoked(self, since_us: int) -> Revoked:
        """What was revoked after that time of the database."""
        [row] = await self._read("revoked", since_us=since_us)
        return Revoked(frozenset(rows.names(row["ids"])), row["now_us"])

    # --- each a transaction -----------------------------------------------------------------------

    def _remove(self, name: str) -> Script[bool]:
        yield from self._end_all(name)
        return bool((yield Statement("user_remove", {"name": name})))

    def _set_password(self, name: str, password: str) -> Script[bool]:
        found = yield Statement("user_password", {"name": name, "password": password})
        if found:
            yield from self._end_all(name)
        return bool(found)

    def _end_all(self, name: str) -> Script[None]:
        lasting = _us(self._periods.access)
        yield Statement("logins_revoke", {"name": name, "lasting_us": lasting})
        yield Statement("logins_end", {"name": name})
        yield Statement("sessions_end", {"name": name})

    def _begin_session(self, name: str, digest: str) -> Script[bool]:
        yield Statement("prune_sessions", {"idle_us": _us(self._periods.session_idle)})
        return bool((yield Statement("session_begin", {"name": name, "digest": digest})))

    def _begin_login(self, name: str, family: str, digest: str) -> Script[bool]:
        yield Statement("prune_logins")
        said = {"name": name, "family": family, "digest": digest}
        idle = _us(self._periods.login_idle)
        return bool((yield Statement("login_begin", {**said, "idle_us": idle})))

    def _renew_login(self, family: str, brought: str, digest: str) -> Script[Renewal]:
        said = {"family": family, "brought": brought, "digest": digest}
        lasting = {
            "idle_us": _us(self._periods.login_idle),
            "whole_us": _us(self._periods.login_whole),
        }
        found = yield Statement("login_renew", {**said, **lasting})
        if not found:
            return Renewal(None, ended=(yield from self._end_login(family)))
        return Renewal(_first((yield Statement("user", {"name": found[0]["name"]}))))

    def _end_login(self, family: str) -> Script[bool]:
        ended = yield Statement("login_end", {"family": family})
        if ended:
            yield from self._revoke(family, self._periods.access)
        return bool(ended)

    def _revoke(self, token: str, lasting: timedelta) -> Script[None]:
        yield Statement("prune_revoked")
        yield Statement("revoke", {"id": token, "lasting_us": _us(lasting)})


def _first(found: Rows) -> User | None:
    return _user(found[0]) if found else None


def _user(row: Row) -> User:
    return User(
        name=row["name"],
        scopes=tuple(row["scopes"].split()),
        created_at=rows.instant(row["created_at"]),
        password=row["password"],
    )


def _us(span: timedelta) -> int:
    return span // MICROSECOND
