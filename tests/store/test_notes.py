"""What handlers say and keep: only while their claim is good."""

from datetime import UTC, datetime, timedelta

from tests.store.yard import Yard
from windlass.core.claim import Claim
from windlass.core.outcome import Done, HandedBack
from windlass.store.records import Kept, LogLine, Progress
from windlass.store.sql_store import SqlStore


async def test_the_latest_progress_is_told(yard: Yard, store: SqlStore) -> None:
    _, claim = await yard.running()
    await store.note([progress(claim, 0.25, "a quarter")], [])
    yard.clock.advance(1)
    await store.note([progress(claim, 0.5)], [])

    latest = await store.progress(claim.id)

    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=yard.clock.now_us())
    assert latest == Progress(job=claim.id, fence=claim.fence, fraction=0.5, at=at)


async def test_a_job_that_said_nothing_has_no_progress(yard: Yard, store: SqlStore) -> None:
    _, claim = await yard.running()
    await store.note([], [])

    assert await store.progress(claim.id) is None
    assert await store.lines(claim.id) == []


async def test_lines_come_in_the_order_they_were_logged(yard: Yard, store: SqlStore) -> None:
    _, claim = await yard.running()

    await store.note([], [line(claim, 2, "second"), line(claim, 1, "first")])
    await store.note([], [line(claim, 3, "third")])

    logged = await store.lines(claim.id)
    assert [(one.number, one.message, one.level) for one in logged] == [
        (1, "first", "info"),
        (2, "second", "info"),
        (3, "third", "info"),
    ]


async def test_a_line_sent_twice_is_kept_once(yard: Yard, store: SqlStore) -> None:
    _, claim = await yard.running()

    await store.note([], [line(claim, 1, "once")])
    await store.note([], [line(claim, 1, "once"), line(claim, 2, "twice")])

    assert [one.message for one in await store.lines(claim.id)] == ["once", "twice"]


async def test_notes_of_a_lost_claim_are_dropped_and_the_others_kept(
    yard: Yard, store: SqlStore
) -> None:
    worker, lost = await yard.running()
    await yard.settle(lost, HandedBack())
    [good] = await yard.claim(worker)

    await store.note(
        [progress(lost, 0.9), progress(good, 0.25)], [line(lost, 1, "old"), line(good, 1, "new")]
    )

    latest = await store.progress(good.id)
    assert latest is not None
    assert (latest.fence, latest.fraction) == (good.fence, 0.25)
    assert [(one.fence, one.message) for one in await store.lines(good.id)] == [(good.fence, "new")]


async def test_a_finished_job_takes_no_more_notes_but_keeps_those_it_has(
    yard: Yard, store: SqlStore
) -> None:
    _, claim = await yard.running()
    await store.note([progress(claim, 1.0)], [line(claim, 1, "in time")])
    await yard.settle(claim, Done())

    await store.note([progress(claim, 0.0)], [line(claim, 2, "too late")])

    latest = await store.progress(claim.id)
    assert latest is not None
    assert latest.fraction == 1.0
    assert [one.message for one in await store.lines(claim.id)] == ["in time"]


async def test_many_lines_are_kept_at_once(yard: Yard, store: SqlStore) -> None:
    _, claim = await yard.running()

    await store.note([], [line(claim, number, str(number)) for number in range(1, 701)])

    assert [one.number for one in await store.lines(claim.id)] == list(range(1, 701))


async def test_a_file_is_kept_with_its_job(yard: Yard, store: SqlStore) -> None:
    _, claim = await yard.running()
    kept = Kept(name="thumb.png", media_type="image/png", content=bytes(range(256)) * 1_000)

    await store.keep(claim.id, claim.fence, kept)

    assert await store.kept(claim.id, "thumb.png") == kept
    assert await store.kept(claim.id, "other.png") is None


async def test_the_latest_file_of_a_name_wins(yard: Yard, store: SqlStore) -> None:
    _, claim = await yard.running()
    await store.keep(claim.id, claim.fence, Kept(name="a", media_type="text/plain", content=b"1"))

    latest = Kept(name="a", media_type="text/html", content=b"2")
    await store.keep(claim.id, claim.fence, latest)

    assert await store.kept(claim.id, "a") == latest


def progress(claim: Claim, fraction: float, message: str | None = None) -> Progress:
    return Progress(job=claim.id, fence=claim.fence, fraction=fraction, message=message)


def line(claim: Claim, number: int, message: str) -> LogLine:
    return LogLine(job=claim.id, fence=claim.fence, number=number, level="info", message=message)
