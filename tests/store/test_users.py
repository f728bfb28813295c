"""Users, sessions, logins and revocations, on both stores."""

import asyncio
from datetime import timedelta

import pytest

from tests.store.yard import OwnClock
from windlass.store.base import Database
from windlass.store.users import SqlUsers

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0


@pytest.fixture
def users(database: Database) -> SqlUsers:
    return SqlUsers(database)


@pytest.fixture
async def ada(users: SqlUsers) -> str:
    assert await users.add("ada", "hash", ("jobs:read", "admin"))
    return "ada"


async def test_a_user_is_kept_with_scopes(users: SqlUsers, ada: str) -> None:
    found = await users.user(ada)

    assert found is not None
    assert (found.name, found.password, found.scopes) == ("ada", "hash", ("jobs:read", "admin"))
    assert await users.users() == [found]
    assert await users.user("bob") is None


async def test_a_name_can_be_taken_once(users: SqlUsers, ada: str) -> None:
    again = await users.add(ada, "other", ())

    assert not again
    assert (found := await users.user(ada)) is not None
    assert found.password == "hash"  # noqa: S105 - the one given first


async def test_a_user_is_shown_without_the_hash(users: SqlUsers, ada: str) -> None:
    found = await users.user(ada)

    assert "ada" in repr(found)
    assert "hash" not in repr(found)


async def test_a_removed_user_is_gone_with_sessions_and_logins(users: SqlUsers, ada: str) -> None:
    await users.begin_session(ada, "s1")
    await users.begin_login(ada, "family", "d1")

    removed = await users.remove(ada)
    again = await users.remove(ada)

    assert (removed, again) == (True, False)
    assert await users.session("s1") is None
    assert (await users.renew_login("family", "d1", "d2")).user is None
    assert (await users.revoked(0)).ids == {"family"}


async def test_a_new_user_of_an_old_name_inherits_nothing(users: SqlUsers, ada: str) -> None:
    await users.begin_session(ada, "s1")
    await users.begin_login(ada, "family", "d1")

    await users.remove(ada)
    await users.add(ada, "another", ())

    assert await users.session("s1") is None
    assert (await users.renew_login("family", "d1", "d2")).user is None


async def test_another_password_ends_every_session_and_login(users: SqlUsers, ada: str) -> None:
    await users.begin_session(ada, "s1")
    await users.begin_login(ada, "family", "d1")

    changed = await users.set_password(ada, "new")

    assert changed
    assert await users.session("s1") is None
    assert (await users.renew_login("family", "d1", "d2")).user is None
    assert (await users.revoked(0)).ids == {"family"}


async def test_the_password_of_nobody_cannot_be_changed(users: SqlUsers) -> None:
    changed = await users.set_password("nobody", "new")

    assert not changed


async def test_a_better_hash_does_not_undo_a_change(users: SqlUsers, ada: str) -> None:
    await users.rehash(ada, "hash", "better")
    better = await users.user(ada)
    await users.rehash(ada, "hash", "too late")
    late = await users.user(ada)

    assert better is not None
    assert better.password == "better"  # noqa: S105 - no password
    assert late == better


async def test_a_session_ends_after_it_idled(users: SqlUsers, ada: str, clock: OwnClock) -> None:
    await users.begin_session(ada, "s1")

    clock.advance(30 * MINUTE - 1)
    used = await users.session("s1")
    clock.advance(30 * MINUTE - 1)
    used_again = await users.session("s1")
    clock.advance(30 * MINUTE)
    idled = await users.session("s1")

    assert used is not None
    assert used_again is not None
    assert idled is None


async def test_a_session_ends_however_busy_it_is(
    users: SqlUsers, ada: str, clock: OwnClock
) -> None:
    await users.begin_session(ada, "s1")
    for _ in range(47):
        clock.advance(15 * MINUTE)
        assert await users.session("s1")

    clock.advance(15 * MINUTE)

    assert await users.session("s1") is None


async def test_sessions_and_logins_are_of_users_that_exist(users: SqlUsers) -> None:
    session = await users.begin_session("nobody", "s1")
    login = await users.begin_login("nobody", "family", "d1")

    assert (session, login) == (False, False)
    assert await users.session("s1") is None


async def test_an_ended_session_is_over(users: SqlUsers, ada: str) -> None:
    await users.begin_session(ada, "s1")
    await users.begin_session(ada, "s2")

    await users.end_session("s1")

    assert await users.session("s1") is None
    assert await users.session("s2") is not None


async def test_a_refresh_token_is_exchanged_once(users: SqlUsers, ada: str) -> None:
    await users.begin_login(ada, "family", "d1")

    second = await users.renew_login("family", "d1", "d2")
    third = await users.renew_login("family", "d2", "d3")

    assert second.user == third.user == await users.user(ada)


async def test_an_exchanged_refresh_token_ends_its_login(users: SqlUsers, ada: str) -> None:
    await users.begin_login(ada, "family", "d1")
    await users.renew_login("family", "d1", "d2")

    reused = await users.renew_login("family", "d1", "d3")

    assert (reused.user, reused.ended) == (None, True)
    assert await users.renew_login("family", "d2", "d4") == (None, False)
    assert (await users.revoked(0)).ids == {"family"}


async def test_a_login_that_never_was_leaves_nothing_behind(users: SqlUsers) -> None:
    renewed = await users.renew_login("no such family", "d1", "d2")
    await users.end_login("no such family")

    assert renewed == (None, False)
    assert (await users.revoked(0)).ids == frozenset()


async def test_of_many_who_bring_a_refresh_token_at_once_one_gets_the_next(
    users: SqlUsers, ada: str
) -> None:
    await users.begin_login(ada, "family", "d1")

    answers = await asyncio.gather(
        *(users.renew_login("family", "d1", f"next {n}") for n in range(20))
    )

    won = [n for n, answer in enumerate(answers) if answer.user is not None]
    assert len(won) == 1
    # The others brought a token that was exchanged, so nobody keeps the login.
    assert (await users.renew_login("family", f"next {won[0]}", "last")).user is None
    assert (await users.revoked(0)).ids == {"family"}


async def test_a_login_ends_when_it_was_not_renewed_for_a_week(
    users: SqlUsers, ada: str, clock: OwnClock
) -> None:
    await users.begin_login(ada, "family", "d1")

    clock.advance(7 * DAY - 1)
    in_time = await users.renew_login("family", "d1", "d2")
    clock.advance(7 * DAY)
    late = await users.renew_login("family", "d2", "d3")

    assert in_time.user is not None
    assert late.user is None


async def test_a_login_ends_after_a_month_however_often_it_was_renewed(
    users: SqlUsers, ada: str, clock: OwnClock
) -> None:
    await users.begin_login(ada, "family", "d0")
    for day in range(29):
        clock.advance(DAY)
        assert (await users.renew_login("family", f"d{day}", f"d{day + 1}")).user

    clock.advance(DAY)

    assert (await users.renew_login("family", "d29", "d30")).user is None


async def test_an_ended_login_is_revoked(users: SqlUsers, ada: str) -> None:
    await users.begin_login(ada, "family", "d1")

    await users.end_login("family")

    assert (await users.renew_login("family", "d1", "d2")).user is None
    assert (await users.revoked(0)).ids == {"family"}


async def test_what_was_revoked_is_told_from_a_time_on(users: SqlUsers, clock: OwnClock) -> None:
    await users.revoke("old", timedelta(days=1))
    before = await users.revoked(0)
    clock.advance(1)
    await users.revoke("new", timedelta(days=1))

    since = await users.revoked(before.now_us)

    assert before.ids == {"old"}
    assert since.ids == {"new"}
    assert since.now_us == before.now_us + 1_000_000


async def test_a_revocation_lasts_as_long_as_the_longest(users: SqlUsers, clock: OwnClock) -> None:
    await users.revoke("token", timedelta(days=2))
    await users.revoke("token", timedelta(hours=1))

    clock.advance(DAY)
    await users.revoke("other", timedelta(hours=1))

    assert (await users.revoked(0)).ids == {"token", "other"}


async def test_what_has_expired_is_forgotten(users: SqlUsers, ada: str, clock: OwnClock) -> None:
    await users.begin_session(ada, "old session")
    await users.begin_login(ada, "old login", "d1")
    await users.revoke("old token", timedelta(hours=1))

    clock.advance(8 * DAY)
    await users.begin_session(ada, "session")
    await users.begin_login(ada, "login", "d2")
    await users.revoke("token", timedelta(hours=1))

    assert await users.session("old session") is None
    # A login that were still kept would be revoked by this.
    assert (await users.renew_login("old login", "d1", "d3")).user is None
    assert (await users.revoked(0)).ids == {"token"}
