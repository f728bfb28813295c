"""Routes by which people get in and out, and by which admins manage users and tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from windlass.core.duration import parse_duration
from windlass.http.access import Access, Principal, Scope
from windlass.http.accounts import Pair
from windlass.http.answer import Answer, json
from windlass.http.passwords import LONGEST as LONGEST_PASSWORD
from windlass.http.request import Request
from windlass.http.routing import Says, delete, get, post
from windlass.http.service import Service
from windlass.http.sessions import cookie, csrf_of, session_in
from windlass.http.tokens import LONGEST_NAME, Minted
from windlass.store.users import User as Kept

Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Password = Annotated[str, Meta(min_length=1, max_length=LONGEST_PASSWORD)]
Scopes = Annotated[list[Scope], Meta(max_length=len(Scope))]
BEARER = "Bearer"


class Login(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Who wants in: a program gets tokens, a browser asks for a session."""

    username: Name
    password: Password
    session: bool = False


class Refresh(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A refresh token, which is good once."""

    refresh_token: Annotated[str, Meta(min_length=1, max_length=200)]


class Welcome(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What one is given: tokens, or with a session the token to send with each change."""

    user: str
    scope: str  # with blanks between
    access_token: str | None = None  # to send as Authorization: Bearer …
    token_type: str | None = None
    expires_in: int | None = None  # seconds
    refresh_token: str | None = None  # good once, for the next pair of tokens
    csrf_token: str | None = None  # to send as X-CSRF-Token


class Me(msgspec.Struct, kw_only=True):
    """Who asks, how we know, and what they may do."""

    user: str
    by: str
    scopes: list[Scope]
    csrf_token: str | None = None  # with a session: to send as X-CSRF-Token with each change


class NewUser(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Somebody who shall be able to log in."""

    username: Name
    password: Password
    scopes: Scopes = msgspec.field(default_factory=lambda: [Scope.READ, Scope.WRITE])


class User(msgspec.Struct, kw_only=True):
    """Somebody who can log in."""

    username: str
    scopes: list[str]
    created_at: datetime


class Wanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A token that shall be made: for whom, to do what, for how long (as in 30d or 12h)."""

    subject: Name
    scopes: Scopes = msgspec.field(default_factory=lambda: [Scope.READ, Scope.WRITE])
    expires: Annotated[str, Meta(min_length=1, max_length=20)] = "30d"


class Token(msgspec.Struct, kw_only=True):
    """A new token; `jti` is what it is revoked by."""

    access_token: str
    token_type: str
    expires_in: int
    jti: str


@post(
    "/auth/login",
    access=Access.PUBLIC,
    answers={200: Says(Welcome, "Tokens, or with `session` a cookie.")},
    refuses=(401, 409, 429),
)
async def login(service: Service, request: Request, body: Login) -> Answer:
    """Log in by name and password."""
    accounts = service.accounts
    user = await accounts.log_in(body.username, body.password, request.client)
    if not body.session:
        return json(_with_tokens(await accounts.begin_login(user)))
    session = await accounts.begin_session(user, session_in(request.scope))
    return json(_with_session(user, session), headers=(cookie(request.scope, session),))


@post(
    "/auth/refresh",
    access=Access.PUBLIC,
    answers={200: Says(Welcome, "The next pair of tokens.")},
    refuses=(401, 409),
)
async def refresh(service: Service, body: Refresh) -> Answer:
    """Exchange a refresh token for the next pair of tokens.

    Each is good once. One that is used a second time may be stolen: the whole login ends.
    """
    return json(_with_tokens(await service.accounts.refresh(body.refresh_token)))


@post(
    "/auth/logout",
    access=Access.KNOWN,
    answers={204: Says(None, "The session, or the login of the token, is over.")},
    refuses=(401, 403),
)
async def logout(service: Service, request: Request) -> Answer:
    """Log out: the session ends, or the token and its login are revoked."""
    claims = await service.gate.claims(request.scope)
    if claims is not None:
        await service.accounts.log_out(claims)
        return Answer(204)
    session = session_in(request.scope)
    if session is not None:
        await service.accounts.end_session(session)
    return Answer(204, headers=(cookie(request.scope, None),))


@get("/auth/me", access=Access.KNOWN, answers={200: Says(Me, "Who you are.")}, refuses=(401,))
async def me(request: Request) -> Answer:
    """Say who asks, and what they may do."""
    principal = request.principal
    assert principal is not None  # noqa: S101 - as KNOWN demands
    session = session_in(request.scope) if principal.by == "session" else None
    return json(_me(principal, session))


@get(
    "/auth/users",
    access=Access.ADMIN_WITH_TOKEN,
    answers={200: Says(list[User], "Every user, by name.")},
    refuses=(401, 403),
)
async def users(service: Service) -> Answer:
    """List the users."""
    return json([_user(user) for user in await service.accounts.people.all()])


@post(
    "/auth/users",
    access=Access.ADMIN_WITH_TOKEN,
    answers={201: Says(User, "The user, who can log in now.")},
    refuses=(401, 403, 409),
)
async def add_user(service: Service, body: NewUser) -> Answer:
    """Make a user known."""
    added = await service.accounts.add(body.username, body.password, body.scopes)
    return json(_user(added), 201)


@delete(
    "/auth/users/{name}",
    access=Access.ADMIN_WITH_TOKEN,
    answers={204: Says(None, "Forgotten, and logged out everywhere.")},
    refuses=(401, 403, 404),
)
async def remove_user(service: Service, name: str) -> Answer:
    """Forget a user, and take back all that was given to them."""
    await service.accounts.remove(name)
    return Answer(204)


@post(
    "/auth/tokens",
    access=Access.ADMIN_WITH_TOKEN,
    answers={201: Says(Token, "The token; it is shown this once.")},
    refuses=(401, 403, 409),
)
async def make_token(service: Service, request: Request, body: Wanted) -> Answer:
    """Make a token for a program."""
    by = request.principal
    assert by is not None  # noqa: S101 - as ADMIN_WITH_TOKEN demands
    life = parse_duration(body.expires)
    return json(_token(service.accounts.mint(by, body.subject, body.scopes, life)), 201)


@delete(
    "/auth/tokens/{jti}",
    access=Access.ADMIN_WITH_TOKEN,
    answers={204: Says(None, "Revoked; every process of the fleet knows within seconds.")},
    refuses=(401, 403, 422),
)
async def revoke_token(service: Service, jti: str) -> Answer:
    """Revoke a token by its `jti`."""
    await service.accounts.revoke(jti)
    return Answer(204)


ROUTES = (
    login,
    refresh,
    logout,
    me,
    users,
    add_user,
    remove_user,
    make_token,
    revoke_token,
)


def _with_tokens(pair: Pair) -> Welcome:
    return Welcome(
        user=pair.user.name,
        scope=" ".join(pair.user.scopes),
        access_token=pair.access.token,
        token_type=BEARER,
        expires_in=pair.access.expires_in,
        refresh_token=pair.refresh,
    )


def _with_session(user: Kept, session: str) -> Welcome:
    return Welcome(user=user.name, scope=" ".join(user.scopes), csrf_token=csrf_of(session))


def _me(principal: Principal, session: str | None) -> Me:
    return Me(
        user=principal.name,
        by=principal.by,
        scopes=sorted(principal.scopes),
        csrf_token=session and csrf_of(session),
    )


def _user(kept: Kept) -> User:
    return User(username=kept.name, scopes=list(kept.scopes), created_at=kept.created_at)


def _token(minted: Minted) -> Token:
    return Token(
        access_token=minted.token,
        token_type=BEARER,
        expires_in=minted.expires_in,
        jti=minted.id,
    )
