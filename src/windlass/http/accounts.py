"""People and their tokens: who logs in, what they are given, and how it is taken back."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from typing import NamedTuple

from windlass.core.errors import BadInput
from windlass.http.access import Principal, unauthenticated
from windlass.http.gate import Gate
from windlass.http.passwords import Passwords
from windlass.http.people import People, known
from windlass.http.problems import Refusal
from windlass.http.sessions import digest
from windlass.http.throttle import Throttle
from windlass.http.tokens import LONGEST_LIFE, Claims, Mint, Minted, scopes_of
from windlass.store.users import User, Users

ACCESS_LIFE = timedelta(minutes=15)
REFRESH = re.compile(r"([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})")
TOKEN_ID = re.compile(r"[\x21-\x7e]{1,200}")
WRONG = "no user has this name and this password"
SPENT = "this refresh token is not good, or was used before; log in again"


class Pair(NamedTuple):
    """An access token, and the refresh token that is good for the next one."""

    access: Minted
    refresh: str
    user: User

    def __repr__(self) -> str:
        return f"Pair({self.user.name!r})"


class Accounts:
    """Logs people in and out, and manages them."""

    def __init__(
        self, users: Users, gate: Gate, passwords: Passwords, throttle: Throttle, mint: Mint | None
    ) -> None:
        """Without a `mint` tokens are issued elsewhere, and there are only sessions here."""
        self.people = People(users, passwords)
        self._users = users
        self._gate = gate
        self._passwords = passwords
        self._throttle = throttle
        self._mint = mint

    async def log_in(self, name: str, password: str, address: str) -> User:
        """The user who knows the password; others learn nothing, however often they ask."""
        self._throttle.admit(name, address)
        user = await self.people.know(name, password)
        if user is None:
            raise unauthenticated(WRONG)
        self._throttle.forgive(name, address)
        return user

    async def begin_session(self, user: User, former: str | None) -> str:
        """A new session; the one that the browser came with ends."""
        if former is not None:
            await self.end_session(former)
        session = await self._gate.sessions.begin(user)
        if session is None:
            raise unauthenticated(WRONG)
        return session

    async def end_session(self, session: str) -> None:
        """End a session."""
        await self._gate.sessions.end(session)

    async def begin_login(self, user: User) -> Pair:
        """The first pair of tokens of a login."""
        mint = self._minting()
        family, secret = mint.chance.token(), mint.chance.secret()
        if not await self._users.begin_login(user.name, family, digest(secret)):
            raise unauthenticated(WRONG)
        return self._pair(mint, user, family, secret)

    async def refresh(self, brought: str) -> Pair:
        """The next pair of tokens; each refresh token is good once."""
        mint = self._minting()
        match = REFRESH.fullmatch(brought)
        if match is None:
            raise unauthenticated(SPENT)
        family, secret = match[1], mint.chance.secret()
        user, ended = await self._users.renew_login(family, digest(match[2]), digest(secret))
        if ended:
            self._gate.look_again()
        if user is None:
            raise unauthenticated(SPENT)
        return self._pair(mint, user, family, secret)

    async def log_out(self, claims: Claims) -> None:
        """Take back a token, and with it the login that it was given to."""
        if claims.family is not None:
            await self._users.end_login(claims.family)
        elif claims.id is not None:
            await self._users.revoke(claims.id, LONGEST_LIFE)
        self._gate.look_again()

    def mint(self, by: Principal, subject: str, scopes: Iterable[str], life: timedelta) -> Minted:
        """A token for somebody, to do no more than who asks for it may."""
        granted = known(scopes)
        beyond = sorted(scope for scope in granted if not by.may(scope))
        if beyond:
            raise Refusal(403, "forbidden", f"{by.name} lacks the scope {', '.join(beyond)}")
        return self._minting().make(subject, granted, life)

    async def revoke(self, token: str) -> None:
        """Refuse a token by its id from now on."""
        if not TOKEN_ID.fullmatch(token):
            raise BadInput("a token's id is its claim jti: 1 to 200 plain characters")
        await self._users.revoke(token, LONGEST_LIFE)
        self._gate.look_again()

    async def add(self, name: str, password: str, scopes: Iterable[str]) -> User:
        """Make a user known."""
        added = await self.people.add(name, password, scopes)
        user = await self.people.find(name)
        if not added or user is None:
            raise Refusal(409, "name-taken", f"there is a user {name} already")
        return user

    async def remove(self, name: str) -> None:
        """Forget a user, and take back all that was given to them."""
        if not await self.people.remove(name):
            raise Refusal(404, "unknown-user", "there is no user of this name")
        self._gate.look_again()

    def close(self) -> None:
        """Let go of the threads."""
        self._passwords.close()

    def _pair(self, mint: Mint, user: User, family: str, secret: str) -> Pair:
        access = mint.make(user.name, scopes_of(" ".join(user.scopes)), ACCESS_LIFE, family=family)
        return Pair(access, f"{family}.{secret}", user)

    def _minting(self) -> Mint:
        if self._mint is None:
            sentence = "tokens are issued elsewhere, by WINDLASS_JWKS; set WINDLASS_SECRET as well"
            raise Refusal(409, "no-secret", sentence)
        return self._mint
