"""Sessions of browsers: a cookie that scripts cannot read, and a token that only they can send."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from collections import OrderedDict
from hashlib import sha256

from windlass.clock import Chance, Clock
from windlass.http.access import Principal
from windlass.http.answer import Header
from windlass.http.request import Scope
from windlass.http.tokens import scopes_of
from windlass.store.users import User, Users

PLAIN = "windlass-session"
# A browser takes a cookie of such a name only from us, over TLS, for the whole site.
SECURE = "__Host-windlass-session"
# How long a session that was ended elsewhere may still be good in this process.
REMEMBERED = 5.0
MOST = 10_000
LONGEST_ID = 100


class Sessions:
    """Begins, finds and ends sessions; of an id only its digest is kept anywhere."""

    def __init__(self, users: Users, clock: Clock, chance: Chance) -> None:
        """Keep sessions with the users."""
        self._users = users
        self._clock = clock
        self._chance = chance
        self._seen: OrderedDict[str, tuple[Principal, float]] = OrderedDict()

    async def begin(self, user: User) -> str | None:
        """The id of a new session, never one that a browser brought; None if the user is gone."""
        session = self._chance.secret()
        begun = await self._users.begin_session(user.name, digest(session))
        return session if begun else None

    async def principal(self, session: str) -> Principal | None:
        """Whose session this is, if it lasts."""
        kept = digest(session)
        now, seen = self._clock.monotonic(), self._seen
        found = seen.get(kept)
        if found is not None and now < found[1] + REMEMBERED:
            return found[0]
        user = await self._users.session(kept)
        if user is None:
            seen.pop(kept, None)
            return None
        principal = principal_of(user)
        # What was forgotten while we asked is another memory by now, and stays without this one.
        _remember(seen, kept, (principal, now))
        return principal

    async def end(self, session: str) -> None:
        """End a session."""
        await self._users.end_session(digest(session))
        self.forget()

    def forget(self) -> None:
        """Look every session up again, also those that are being looked up: one may have ended."""
        self._seen = OrderedDict()


def _remember(
    seen: OrderedDict[str, tuple[Principal, float]], kept: str, found: tuple[Principal, float]
) -> None:
    seen[kept] = found
    seen.move_to_end(kept)
    if len(seen) > MOST:
        seen.popitem(last=False)


def principal_of(user: User) -> Principal:
    """The user as one who asks."""
    return Principal(user.name, scopes_of(" ".join(user.scopes)), "session")


def digest(secret: str) -> str:
    """What is kept of something that opens a door."""
    return sha256(secret.encode()).hexdigest()


def csrf_of(session: str) -> str:
    """What a page of ours sends along to show that it is one: no other site can know it."""
    made = hmac.digest(session.encode(), b"csrf", "sha256")
    return urlsafe_b64encode(made).rstrip(b"=").decode()


def csrf_fits(session: str, brought: bytes) -> bool:
    """Whether a page of ours sent this."""
    return hmac.compare_digest(csrf_of(session).encode(), brought)


def session_in(scope: Scope) -> str | None:
    """The id that the cookie of a request carries."""
    wanted = _name(scope)
    for header, value in scope["headers"]:
        if header != b"cookie":
            continue
        for pair in value.decode("latin-1").split(";"):
            name, _, session = pair.strip().partition("=")
            if name == wanted and session.isascii() and 0 < len(session) <= LONGEST_ID:
                return str(session)
    return None


def cookie(scope: Scope, session: str | None) -> Header:
    """The header that sets the cookie, or takes it away."""
    parts = [f"{_name(scope)}={session or ''}", "Path=/", "HttpOnly", "SameSite=Strict"]
    if session is None:
        parts.append("Max-Age=0")
    if _secure(scope):
        parts.append("Secure")
    return b"set-cookie", "; ".join(parts).encode()


def _name(scope: Scope) -> str:
    return SECURE if _secure(scope) else PLAIN


def _secure(scope: Scope) -> bool:
    return scope.get("scheme") == "https"
