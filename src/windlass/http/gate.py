"""The gate: who is asking, by a token, by a session, or merely by being local."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256
from typing import Any, NamedTuple

from windlass.clock import Clock
from windlass.core.errors import WindlassError
from windlass.http.access import Principal, unauthenticated
from windlass.http.access import Scope as Grant
from windlass.http.answer import Send
from windlass.http.fresh import Ages, Fresh
from windlass.http.keys import Keyring
from windlass.http.middleware.layer import Asgi
from windlass.http.problems import Refusal
from windlass.http.request import Receive, Scope
from windlass.http.sessions import Sessions, csrf_fits, session_in
from windlass.http.tokens import LEEWAY, Claims, Expected, Verifier
from windlass.store.users import Users

LOCAL = Principal("loopback", frozenset(Grant), "loopback")
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
MOST = 10_000

# What was revoked elsewhere is known here after 2 s, and a database that is away for a minute
# locks nobody out who was let in before.
REVOCATIONS = Ages(fresh=2, between=1, good=60)
# A revocation is stamped before it is committed; so much later it surely is.
OVERLAP_US = 60_000_000
# The whole list is read again once in a while, to forget what has expired.
WHOLE_EVERY_US = 3_600_000_000


class Seen(NamedTuple):
    """A token that was verified, and by which edition of the keys."""

    principal: Principal
    claims: Claims
    edition: bytes | None


class Withdrawn(NamedTuple):
    """What is revoked, and as of when the whole of it was read."""

    ids: frozenset[str]
    now_us: int
    whole_us: int


class Gate:
    """Lets in who can show who they are."""

    def __init__(
        self,
        keyring: Keyring,
        users: Users,
        sessions: Sessions,
        clock: Clock,
        *,
        expected: Expected,
        opened: bool,
    ) -> None:
        """`opened` lets in whoever reaches us, as one who is merely local."""
        self.opened = opened
        self.sessions = sessions
        self._keyring = keyring
        self._users = users
        self._clock = clock
        self._verifier = Verifier(keyring, clock, expected)
        self._revoked = Fresh(self._read_revoked, clock, REVOCATIONS)
        self._seen: OrderedDict[bytes, Seen] = OrderedDict()

    async def admit(self, scope: Scope) -> Principal | None:
        """Who asks; None if nothing was shown. Refuses what was shown and is not good."""
        token = token_in(scope)
        if token is not None:
            return (await self._seen_or_verified(token)).principal
        return await self._by_session(scope) or (LOCAL if self.opened else None)

    async def claims(self, scope: Scope) -> Claims | None:
        """What the token of a request says, if it was admitted by one."""
        token = token_in(scope)
        return None if token is None else (await self._seen_or_verified(token)).claims

    def look_again(self) -> None:
        """Heed at once what was just revoked or ended here."""
        self.sessions.forget()
        self._revoked = Fresh(self._read_revoked, self._clock, REVOCATIONS)

    async def _by_session(self, scope: Scope) -> Principal | None:
        session = session_in(scope)
        principal = session and await self.sessions.principal(session)
        if not session or not principal:
            return None
        # A browser sends the cookie by itself, also when another site made it ask.
        if scope["method"] not in SAFE and not csrf_fits(session, _header(scope, b"x-csrf-token")):
            raise Refusal(
                403,
                "csrf",
                "a session needs the header X-CSRF-Token to change anything; GET /auth/me tells it",
            )
        return principal

    async def _seen_or_verified(self, token: str) -> Seen:
        edition = await self._keyring.edition()
        key = sha256(token.encode("latin-1")).digest()
        seen = self._seen.get(key)
        if seen is None or edition is None or seen.edition != edition:
            claims = await self._verifier.verify(token)
            principal = Principal(claims.subject, claims.scopes, "token")
            seen = Seen(principal, claims, edition)
            self._remember(key, seen)
        if self._clock.now_us() / 1e6 >= seen.claims.expires + LEEWAY:
            raise unauthenticated("the token is not good: it has expired")
        await self._refuse_revoked(seen.claims)
        return seen

    async def _refuse_revoked(self, claims: Claims) -> None:
        revoked = (await self._revoked.get()).ids
        if claims.id in revoked or claims.family in revoked:
            raise unauthenticated("the token is not good: it was revoked")

    def _remember(self, key: bytes, seen: Seen) -> None:
        self._seen[key] = seen
        if len(self._seen) > MOST:
            self._seen.popitem(last=False)

    async def _read_revoked(self, last: Withdrawn | None) -> Withdrawn:
        if last is None or last.now_us - last.whole_us > WHOLE_EVERY_US:
            whole = await self._users.revoked(0)
            return Withdrawn(whole.ids, whole.now_us, whole.now_us)
        lately = await self._users.revoked(last.now_us - OVERLAP_US)
        return Withdrawn(last.ids | lately.ids, lately.now_us, last.whole_us)


def admission(app: Asgi, gate: Gate) -> Asgi:
    """The application behind the gate: `user` says who asks, `refused` what was wrong with it.

    Who is refused may still ask for what everybody may: how we are, and to log in.
    """

    async def admitted(scope: Scope, receive: Receive, send: Send) -> None:
        scope["user"] = scope["refused"] = None
        try:
            scope["user"] = await gate.admit(scope)
        except (WindlassError, Refusal) as refused:
            scope["refused"] = refused
        await app(scope, receive, send)

    return admitted


def token_in(scope: Scope) -> str | None:
    """The bearer token of a request; it is taken from this header and from nowhere else."""
    found = [value for name, value in scope["headers"] if name == b"authorization"]
    if not found:
        return None
    scheme, _, token = found[0].decode("latin-1").partition(" ")
    if len(found) > 1 or scheme.lower() != "bearer" or not token:
        raise unauthenticated("send one header Authorization, as: Bearer TOKEN")
    return str(token)


def _header(scope: Scope, wanted: bytes) -> bytes:
    found: Any = next((value for name, value in scope["headers"] if name == wanted), b"")
    return bytes(found)
