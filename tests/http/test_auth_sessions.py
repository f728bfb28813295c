"""A session that ended here is good for nothing from then on, whoever was just looking it up."""

import asyncio
from datetime import UTC, datetime
from typing import cast

import pytest

from tests.store.yard import OwnClock
from windlass.clock import SystemChance
from windlass.http.sessions import Sessions
from windlass.store.users import User, Users

ADA = User(name="ada", password="", scopes=("jobs:read",), created_at=datetime.now(UTC))


class SlowUsers:
    """Knows one session, and takes its time to say so."""

    def __init__(self) -> None:
        self.there = True
        self.asked = asyncio.Event()
        self.answer = asyncio.Event()

    async def session(self, _digest: str) -> User | None:
        """Whose it was when the question came in."""
        found = ADA if self.there else None
        self.asked.set()
        await self.answer.wait()
        return found

    async def end_session(self, _digest: str) -> None:
        """Know it no more."""
        self.there = False


@pytest.fixture
def users() -> SlowUsers:
    return SlowUsers()


@pytest.fixture
def sessions(users: SlowUsers) -> Sessions:
    return Sessions(cast("Users", users), OwnClock(), SystemChance())


async def test_what_was_found_before_a_logout_is_not_remembered_after_it(
    sessions: Sessions, users: SlowUsers
) -> None:
    looking = asyncio.create_task(sessions.principal("cookie"))
    await users.asked.wait()

    await sessions.end("cookie")
    users.answer.set()
    await looking

    assert await sessions.principal("cookie") is None


async def test_what_was_found_before_a_user_was_removed_is_not_remembered_after_it(
    sessions: Sessions, users: SlowUsers
) -> None:
    looking = asyncio.create_task(sessions.principal("cookie"))
    await users.asked.wait()

    users.there = False
    sessions.forget()
    users.answer.set()
    await looking

    assert await sessions.principal("cookie") is None


async def test_a_session_that_lasts_is_remembered(sessions: Sessions, users: SlowUsers) -> None:
    users.answer.set()

    first = await sessions.principal("cookie")
    users.there = False
    again = await sessions.principal("cookie")

    assert first is not None
    assert first is again
