"""Pages: every filter finds what it should, looks only so far, and goes on where it stopped."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import msgspec
import pytest

from tests.store.yard import Yard
from windlass.core.job import FINISHED, Job, JobId, State
from windlass.core.outcome import Cancelled, Done, Failed
from windlass.core.search import JobFilter, made_at
from windlass.store import looking, paging
from windlass.store.records import Page
from windlass.store.sql_store import SqlStore

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
STATES = [(), *((state,) for state in State), (State.FAILED, State.PENDING), tuple(FINISHED)]


@pytest.fixture
async def some(yard: Yard) -> Yard:
    """Jobs of every state, type and queue, in no order; one type and queue is finished only."""
    for type_, queue in product(("mail", "sms"), ("a", "b")):
        await yard.finished(Done(), type=type_, queue=queue)
        await yard.finished(Failed("it broke"), type=type_, queue=queue)
        await yard.finished(Cancelled(), type=type_, queue=queue)
        await yard.enqueue(type=type_, queue=queue, delay=timedelta(hours=1))
        await yard.running(type=type_, queue=queue)
        yard.clock.advance(1)
    for type_, queue in product(("mail", "sms"), ("a", "b")):
        await yard.enqueue(2, type=type_, queue=queue)
    await yard.finished(Done(), type="mail", queue="c")
    return yard


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let walks and searches end after a few jobs, so that few jobs show it."""
    monkeypatch.setattr(paging, "WALK", 5)
    monkeypatch.setattr(paging, "GATHER", 3)
    monkeypatch.setattr(looking, "MOST", 6)
    monkeypatch.setattr(looking, "FEW", 2)
    monkeypatch.setattr(looking, "MANY", 4)


async def every(store: SqlStore, **which: Any) -> tuple[list[Job], list[Page]]:
    """All that fit, page after page."""
    before: JobId | None = None
    pages: list[Page] = []
    while not pages or before is not None:
        pages.append(await store.page(JobFilter(**which, before=before)))
        before = pages[-1].next
    return [job for page in pages for job in page.jobs], pages


async def fitting(store: SqlStore, fits: Callable[[Job], bool]) -> list[Job]:
    """The same, the simple way."""
    return [job for job in (await store.page(JobFilter(limit=1_000))).jobs if fits(job)]


@pytest.mark.parametrize("limit", [3, 50])
@pytest.mark.parametrize("states", STATES, ids=lambda states: "-".join(sorted(states)) or "all")
async def test_every_list_finds_what_fits_in_its_order(
    some: Yard, store: SqlStore, states: tuple[State, ...], limit: int
) -> None:
    for type_, queue in product((None, "mail", "none"), (None, "a", "c", "none")):
        found, pages = await every(
            store, states=frozenset(states), type=type_, queue=queue, limit=limit
        )

        assert found == await fitting(store, _like(states or tuple(State), type_, queue))
        assert all(page.looked_back_to is None for page in pages)


@pytest.mark.usefixtures("near")
@pytest.mark.parametrize("states", STATES, ids=lambda states: "-".join(sorted(states)) or "all")
async def test_a_walk_that_ends_early_is_gone_on_with(
    some: Yard, store: SqlStore, states: tuple[State, ...]
) -> None:
    for type_, queue in product((None, "mail", "none"), (None, "a", "c", "none")):
        found, pages = await every(
            store, states=frozenset(states), type=type_, queue=queue, limit=3
        )

        assert found == await fitting(store, _like(states or tuple(State), type_, queue))
        for page in pages:
            cut = page.looked_back_to is not None
            assert not cut or page.next is not None
            assert not cut or page.looked_back_to == made_at(page.next or JobId(""))


def _like(states: tuple[State, ...], type_: str | None, queue: str | None) -> Callable[[Job], bool]:
    return lambda job: (
        job.state in states
        and (type_ is None or job.type == type_)
        and (queue is None or job.queue == queue)
    )


async def test_the_last_page_says_that_it_is_the_last(yard: Yard, store: SqlStore) -> None:
    ids = sorted(await yard.enqueue(4), reverse=True)

    first = await store.page(JobFilter(limit=2))
    last = await store.page(JobFilter(limit=2, before=first.next))

    assert [job.id for job in first.jobs] == ids[:2]
    assert first.next == ids[1]
    assert [job.id for job in last.jobs] == ids[2:]
    assert last.next is None


async def test_the_ids_of_a_page_can_be_had_without_its_jobs(yard: Yard, store: SqlStore) -> None:
    ids = sorted(await yard.enqueue(3), reverse=True)

    matching = await store.matching(JobFilter(limit=2))

    assert matching == (ids[:2], ids[1], None)


async def test_jobs_are_found_by_when_they_were_created(yard: Yard, store: SqlStore) -> None:
    ids = []
    for _ in range(3):
        ids += await yard.enqueue()
        yard.clock.advance(60)
    start = EPOCH + timedelta(microseconds=yard.clock.now_us()) - timedelta(minutes=3)

    after = await store.page(JobFilter(created_after=start + timedelta(seconds=60)))
    before = await store.page(JobFilter(created_before=start + timedelta(seconds=60)))
    between = await store.page(
        JobFilter(
            created_after=start + timedelta(seconds=1), created_before=start + timedelta(seconds=61)
        )
    )

    assert [job.id for job in after.jobs] == [ids[2], ids[1]]
    assert [job.id for job in before.jobs] == [ids[0]]
    assert [job.id for job in between.jobs] == [ids[1]]


PAYLOADS = [
    {"user": {"id": 42}},
    {"user": {"id": 42.0}},
    {"user": {"id": "42"}},
    {"user": {"id": True}},
    {"user": {"id": None}},
    {"user": {"id": 1}},
    {"user": {}},
    {"user": {"id": [42]}},
    {"users": [{"id": 7}, {"id": 42}]},
    {"0": "zero", "größe": 'a "b" \\ c'},
    {"big": 12345678901234567890},
]


@pytest.mark.parametrize(
    ("wanted", "places"),
    [
        ({"user.id": 42}, [0, 1]),
        ({"user.id": "42"}, [2]),
        ({"user.id": True}, [3]),
        ({"user.id": None}, [4]),
        ({"user.id": 1}, [5]),
        ({"user.id": 0}, []),
        ({"users.1.id": 42}, [8]),
        ({"0": "zero"}, [9]),
        ({"größe": 'a "b" \\ c'}, [9]),
        ({"users.1.id": 42, "users.0.id": 7}, [8]),
        ({"users.1.id": 42, "users.0.id": 8}, []),
        ({"nothing.here": 1}, []),
        ({"user": "x"}, []),
    ],
)
async def test_jobs_are_found_by_what_their_payload_says(
    yard: Yard, store: SqlStore, wanted: dict[str, Any], places: list[int]
) -> None:
    ids = []
    for payload in PAYLOADS:
        ids += await yard.enqueue(payload=msgspec.json.encode(payload).decode())

    page = await store.page(JobFilter(payload=wanted))

    assert sorted(ids.index(job.id) for job in page.jobs) == places


async def test_jobs_are_found_by_a_part_of_their_error(yard: Yard, store: SqlStore) -> None:
    timed_out = await yard.finished(Failed("TimeoutError: 100 % Größe_x"))
    await yard.finished(Failed("it broke"))
    await yard.finished(Done())

    found = [
        [job.id for job in (await store.page(JobFilter(error=part))).jobs]
        for part in ("timeouterror", "TIMEOUT", "100 % G", "e_x", "exx", "GRÖ", "%")
    ]

    assert found == [[timed_out]] * 4 + [[], [], [timed_out]]


async def test_jobs_are_found_by_name_and_key(yard: Yard, store: SqlStore) -> None:
    [named] = await yard.enqueue(name="the one")
    [keyed] = await yard.enqueue(key="k", name="other")
    finished = await yard.finished(name="the one")

    by_name = await store.page(JobFilter(name="the one"))
    by_key = await store.page(JobFilter(key="k"))
    by_both = await store.page(JobFilter(key="k", name="the one"))

    assert {job.id for job in by_name.jobs} == {named, finished}
    assert [job.id for job in by_key.jobs] == [keyed]
    assert by_both.jobs == []


async def test_what_finished_later_can_be_left_out(yard: Yard, store: SqlStore) -> None:
    early = await yard.finished()
    yard.clock.advance(10)
    moment = EPOCH + timedelta(microseconds=yard.clock.now_us())
    await yard.finished()
    [waiting] = await yard.enqueue()

    page = await store.page(JobFilter(finished_before=moment))

    assert {job.id for job in page.jobs} == {early, waiting}


@pytest.mark.usefixtures("near")
async def test_a_search_that_looked_far_enough_says_how_far_and_goes_on(
    some: Yard, store: SqlStore
) -> None:
    old = (await fitting(store, lambda job: job.error is not None))[-1]

    found, pages = await every(store, error="it broke", limit=50)

    assert found == await fitting(store, lambda job: job.error == "it broke")
    assert found[-1] == old
    assert len(pages) > 2
    assert all(page.looked_back_to == made_at(page.next) for page in pages if page.next)
    assert pages[-1].looked_back_to is None


async def test_a_search_ends_when_its_time_is_up(
    some: Yard, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "FEW", 2)
    monkeypatch.setattr(some.clock, "monotonic", iter(range(1_000)).__next__)

    page = await store.page(JobFilter(name="nobody"))

    assert page.jobs == []
    assert page.looked_back_to is not None


@pytest.mark.parametrize(
    ("rows", "took", "then"),
    [(200, 0.001, 400), (4_000, 0.01, 5_000), (5_000, 0.2, 2_500), (200, 3.0, 200)],
)
def test_a_search_looks_at_more_rows_while_they_are_quick(
    rows: int, took: float, then: int
) -> None:
    assert looking.more(rows, took) == then
