"""Who asks, what they may do, and what each route demands of them."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Literal, NamedTuple

from msgspec import Struct

from windlass.http.problems import Refusal


class Scope(StrEnum):
    """What a principal may do; `admin` includes the others."""

    READ = "jobs:read"
    WRITE = "jobs:write"
    ADMIN = "admin"


class Principal(Struct, frozen=True):
    """Who asks. `by` says how we know: by a token, by a session, or merely by being local."""

    name: str
    scopes: frozenset[Scope]
    by: Literal["token", "session", "loopback"]

    def may(self, scope: Scope) -> bool:
        """Whether this is allowed."""
        return scope in self.scopes or Scope.ADMIN in self.scopes


class Demand(NamedTuple):
    """What a route asks for: a scope, if any; `proof` if being local is not enough."""

    scope: Scope | None
    proof: bool = False


class Access(Enum):
    """Whom a route is for."""

    PUBLIC = None  # everybody, whatever else they may have sent
    KNOWN = Demand(None)
    READ = Demand(Scope.READ)
    WRITE = Demand(Scope.WRITE)
    ADMIN = Demand(Scope.ADMIN)
    READ_WITH_TOKEN = Demand(Scope.READ, proof=True)
    WRITE_WITH_TOKEN = Demand(Scope.WRITE, proof=True)
    ADMIN_WITH_TOKEN = Demand(Scope.ADMIN, proof=True)


def check(access: Access, principal: Principal | None, refused: Exception | None = None) -> None:
    """Refuse who is not known, and who is known but may not.

    `refused` is what was wrong with the credentials that were sent, if any were.
    """
    demand = access.value
    if demand is None:
        return
    if refused is not None:
        raise refused
    if principal is None or (demand.proof and principal.by == "loopback"):
        raise unauthenticated("send a token as Authorization: Bearer …; `windlass token` makes one")
    if demand.scope is not None and not principal.may(demand.scope):
        raise Refusal(403, "forbidden", f"{principal.name} lacks the scope {demand.scope}")


def unauthenticated(detail: str) -> Refusal:
    """The refusal of who did not show who they are."""
    return Refusal(401, "unauthenticated", detail, headers=((b"www-authenticate", b"Bearer"),))
