"""Types of job as workers publish them."""

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from tests.store.yard import Yard
from windlass.store.records import TypeRecord
from windlass.store.sql_store import SqlStore

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAIL = TypeRecord(
    type="mail",
    queue="post",
    priority=-3,
    threads=2,
    max_attempts=5,
    max_crashes=1,
    timeout=2.5,
    mode="loop",
    description="Sends mail.",
    schema='{"type":"object"}',
)
SMS = replace(MAIL, type="sms", timeout=None, description=None)


def now(yard: Yard) -> datetime:
    return EPOCH + timedelta(microseconds=yard.clock.now_us())


async def test_what_is_published_is_known(yard: Yard, store: SqlStore) -> None:
    await store.publish([SMS, MAIL])
    await store.publish([])

    assert await store.types() == [replace(one, seen_at=now(yard)) for one in (MAIL, SMS)]


async def test_a_type_says_how_many_live_workers_know_it(yard: Yard, store: SqlStore) -> None:
    await store.publish([MAIL, SMS])
    await yard.worker("mail", "sms")
    await yard.worker("mail")
    await yard.worker("sms", alone=True)
    ended = await yard.worker("mail")
    await store.dismiss([ended.id])

    known = [one.workers for one in await store.types()]
    yard.clock.advance(16)
    lapsed = [one.workers for one in await store.types()]

    assert known == [2, 1]
    assert lapsed == [0, 0]


async def test_what_changed_is_published_at_once(yard: Yard, store: SqlStore) -> None:
    await store.publish([MAIL])
    yard.clock.advance(1)
    changed = replace(MAIL, timeout=None, schema="{}")

    await store.publish([changed])

    assert await store.types() == [replace(changed, seen_at=now(yard))]


async def test_what_is_the_same_is_written_once_an_hour(yard: Yard, store: SqlStore) -> None:
    await store.publish([MAIL, SMS])
    published = now(yard)
    yard.clock.advance(3_600)
    await store.publish([MAIL, SMS])
    within = [one.seen_at for one in await store.types()]
    yard.clock.advance(1)

    await store.publish([MAIL, SMS])

    assert within == [published] * 2
    assert [one.seen_at for one in await store.types()] == [now(yard)] * 2


async def test_a_type_that_nobody_knows_any_more_is_forgotten_after_a_month(
    yard: Yard, store: SqlStore
) -> None:
    await store.publish([MAIL, SMS])
    await yard.worker("sms")
    yard.clock.advance(timedelta(days=30).total_seconds())
    await store.prune(timedelta(days=1), 10)
    within = [one.type for one in await store.types()]
    yard.clock.advance(1)
    await yard.worker("sms")

    await store.prune(timedelta(days=1), 10)

    assert within == ["mail", "sms"]
    assert [one.type for one in await store.types()] == ["sms"]
