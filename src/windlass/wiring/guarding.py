"""Sets up who may ask the API for what, as the settings say."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from windlass.config import Settings
from windlass.http import secret as secrets
from windlass.http.accounts import Accounts
from windlass.http.gate import Gate
from windlass.http.keys import Issuer, Keyring, source_of
from windlass.http.middleware.hosts import is_loopback
from windlass.http.passwords import Passwords
from windlass.http.secret import Secret
from windlass.http.sessions import Sessions
from windlass.http.throttle import Throttle
from windlass.http.tokens import Expected, Mint
from windlass.store.users import SqlUsers, Users
from windlass.wiring.storehouse import Storehouse


class Guard(NamedTuple):
    """Who is let in, and how they get what lets them in."""

    gate: Gate
    accounts: Accounts


@asynccontextmanager
async def guarding(house: Storehouse) -> AsyncIterator[Guard]:
    """A guard with connections of its own: who asks is known though the others are busy."""
    store = await house.store(connections=2)
    try:
        guarded = guard(house, SqlUsers(store.database), Path.cwd())
        try:
            yield guarded
        finally:
            guarded.accounts.close()
    finally:
        await store.close()


def guard(
    house: Storehouse, users: Users, folder: Path, *, passwords: Passwords | None = None
) -> Guard:
    """The guard of an API; without a configured secret one is kept in a file."""
    settings, clock, chance = house.settings, house.clock, house.chance
    issuer = None
    if settings.jwks is not None:
        issuer = Issuer(source_of(settings.jwks), clock, house.observer)
    secret = secret_of(house, folder) if settings.secret or issuer is None else None
    gate = Gate(
        Keyring(secret, issuer),
        users,
        Sessions(users, clock, chance),
        clock,
        expected=Expected(issuer=settings.issuer, audience=settings.audience),
        opened=opened(settings),
    )
    accounts = Accounts(
        users,
        gate,
        passwords or Passwords(),
        Throttle(clock),
        None if secret is None else Mint(secret, clock, chance),
    )
    return Guard(gate, accounts)


def secret_of(house: Storehouse, folder: Path) -> Secret:
    """The secret that is set, or the one that is kept with the store."""
    if house.settings.secret is not None:
        return Secret(house.settings.secret)
    return secrets.kept(secrets.place(house.address, folder), house.chance)


def opened(settings: Settings) -> bool:
    """Whether whoever reaches the API is let in without proof: never where a secret was set."""
    guarded = settings.secret is not None or settings.jwks is not None
    return not guarded and (settings.open or is_loopback(settings.host))
