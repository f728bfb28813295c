"""People who can log in: under which names, with what they may do, and by which password."""

from __future__ import annotations

import re
from collections.abc import Iterable

from windlass.core.errors import BadInput
from windlass.http.access import Scope
from windlass.http.passwords import Passwords
from windlass.http.tokens import SCOPES
from windlass.store.users import User, Users

# In lower case, so that no two look alike but for it; nothing that needs quoting anywhere.
NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")


class People:
    """Adds, changes and removes users; each answers whether it could be done."""

    def __init__(self, users: Users, passwords: Passwords) -> None:
        """Keep them with `users`."""
        self._users = users
        self._passwords = passwords

    async def all(self) -> list[User]:
        """Every user, by name."""
        return await self._users.users()

    async def find(self, name: str) -> User | None:
        """The user of this name."""
        return await self._users.user(name) if NAME.fullmatch(name) else None

    async def know(self, name: str, password: str) -> User | None:
        """The user, if that is the password; it takes as long to say no to a name nobody has."""
        user = await self.find(name)
        right = await self._passwords.right(user.password if user else None, password)
        if user is None or not right:
            return None
        if self._passwords.outdated(user.password):
            better = await self._passwords.again(password)
            await self._users.rehash(name, user.password, better)
        return user

    async def add(self, name: str, password: str, scopes: Iterable[str]) -> bool:
        """Make a user known, unless the name is taken."""
        if not NAME.fullmatch(name):
            raise BadInput(
                "a user's name has 1 to 64 characters of a-z, 0-9, '.', '_', '@' and '-',"
                " and begins with a letter or digit"
            )
        granted = tuple(sorted(known(scopes)))
        return await self._users.add(name, await self._passwords.hash(name, password), granted)

    async def set_password(self, name: str, password: str) -> bool:
        """Change a password; whoever is logged in with the old one is not any more."""
        if await self.find(name) is None:
            return False
        return await self._users.set_password(name, await self._passwords.hash(name, password))

    async def remove(self, name: str) -> bool:
        """Forget a user, and take back all that was given to them."""
        return bool(NAME.fullmatch(name)) and await self._users.remove(name)


def known(scopes: Iterable[str]) -> frozenset[Scope]:
    """These scopes; refuses one that there is not."""
    asked = list(scopes)
    for scope in asked:
        if scope not in SCOPES:
            raise BadInput(f"no scope {scope!r}; there are {', '.join(SCOPES)}")
    return frozenset(SCOPES[scope] for scope in asked)
