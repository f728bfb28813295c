"""The verbs of an app, on both stores."""

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from tests.app.hand import Hand
from windlass import Backoff, Context, NewJob, State, Windlass
from windlass.core.errors import (
    BadInput,
    BadPayload,
    Busy,
    KeyTaken,
    NotFinished,
    PayloadTooLarge,
    UnknownJob,
    UnknownType,
    WrongState,
)
from windlass.core.job import Job as StoredJob
from windlass.core.outcome import Done, Failed
from windlass.core.rank import STRICT_AGING
from windlass.store.sql_store import SqlStore
from windlass.wiring import Storehouse

NOBODY = "01890000-0000-7000-8000-000000000000"


async def welcome(user: str, times: int = 1) -> str:
    """Greet somebody."""
    return f"hello {user}" * times


async def test_an_enqueued_job_is_found_with_what_it_was_given(app: Windlass) -> None:
    declared = app.job(queue="mail", max_attempts=5)(welcome)

    enqueued = await declared.enqueue("ada", times=2)

    job = await app.get(enqueued.id)
    assert (enqueued.state, enqueued.existing) == (State.PENDING, False)
    assert (job.type, job.queue, job.state) == ("welcome", "mail", State.PENDING)
    assert (job.payload, job.result, job.max_attempts) == ({"user": "ada", "times": 2}, None, 5)
    assert isinstance(job, StoredJob)


async def test_who_gives_up_an_enqueue_and_tries_again_has_each_job_once(app: Windlass) -> None:
    ran: Counter[int] = Counter()

    @app.job
    async def count(number: int) -> None:
        ran[number] += 1

    jobs = [count.job(number) for number in range(60)]
    async with app.worker():
        first = [await gave_up(app, job, after=n % 12 / 5_000) for n, job in enumerate(jobs)]
        for job, given_up in zip(jobs, first, strict=True):
            if given_up:
                await app.enqueue(job)
        for job in jobs:
            await app.wait(job.id)

    assert True in first
    assert ran == Counter(range(60))


async def gave_up(app: Windlass, job: NewJob, after: float) -> bool:
    """Enqueue it, and go away after so many seconds; whether that was before it was answered."""
    enqueuing = asyncio.create_task(app.enqueue(job))
    await asyncio.wait([enqueuing], timeout=after)
    enqueuing.cancel()
    await asyncio.wait([enqueuing])
    return enqueuing.cancelled()


async def test_a_declared_function_stays_what_it_was(app: Windlass) -> None:
    declared = app.job(welcome)

    assert await declared("ada") == "hello ada"
    assert (declared.__name__, declared.__doc__) == ("welcome", "Greet somebody.")
    assert repr(declared) == f"<job type 'welcome': {__name__}:welcome>"


async def test_options_hold_for_the_jobs_that_are_made_with_them(app: Windlass) -> None:
    declared = app.job(welcome)
    due = datetime(2100, 1, 1, tzinfo=UTC)

    enqueued = await declared.options(
        name="for Ada",
        queue="mail",
        priority=5,
        run_at=due,
        thread_demand=2,
        idempotency_key="ada",
        key_window=60,
        max_attempts=7,
        max_crashes=2,
        timeout=30,
        backoff=Backoff(base=1),
    ).enqueue(user="ada")

    job = await app.get(enqueued.id)
    assert enqueued.state is State.SCHEDULED
    assert (job.name, job.queue, job.priority, job.threads) == ("for Ada", "mail", 5, 2)
    assert (job.run_at, job.key, job.max_attempts, job.max_crashes) == (due, "ada", 7, 2)
    assert job.policy is not None
    assert (job.policy.timeout, job.policy.backoff) == (30.0, Backoff(base=1))
    assert (await app.get((await declared.enqueue(user="eve")).id)).priority == 0


async def test_options_add_up(app: Windlass) -> None:
    declared = app.job(welcome).options(priority=5, timeout=30).options(delay=60, backoff=Backoff())

    job = declared.job("ada")

    assert (job.priority, job.delay) == (5, timedelta(minutes=1))
    assert job.policy is not None
    assert (job.policy.timeout, job.policy.backoff) == (30.0, Backoff())


async def test_many_jobs_are_enqueued_at_once(app: Windlass) -> None:
    declared = app.job(welcome)

    enqueued = await app.enqueue_many(declared.job(user=f"user {n}") for n in range(2_500))

    assert len({one.id for one in enqueued}) == 2_500
    assert (await app.stats())[State.PENDING] == 2_500
    assert await app.enqueue_many([]) == []


async def test_callers_at_the_same_time_get_each_their_own_answer(app: Windlass) -> None:
    declared = app.job(welcome)
    jobs = [declared.options(idempotency_key=f"k{n % 5}").job("ada") for n in range(20)]
    jobs += [declared.job("eve") for _ in range(20)]

    answers = await asyncio.gather(*(app.enqueue(job) for job in jobs))

    assert [a.existing for a in answers].count(True) == 15
    assert [a.id for a in answers[20:]] == [job.id for job in jobs[20:]]
    assert (await app.stats())[State.PENDING] == 25


async def test_a_key_that_belongs_to_another_request_is_refused_to_that_caller_alone(
    app: Windlass,
) -> None:
    declared = app.job(welcome)
    await declared.options(idempotency_key="k").enqueue(user="ada")
    good = [declared.options(idempotency_key=f"other {n}").job("ada") for n in range(9)]
    bad = declared.options(idempotency_key="k").job(user="eve")

    answers = await asyncio.gather(
        *(app.enqueue(job) for job in [*good[:4], bad, *good[4:]]), return_exceptions=True
    )

    refused = [answer for answer in answers if isinstance(answer, BaseException)]
    assert [type(answer) for answer in refused] == [KeyTaken]
    assert (await app.stats())[State.PENDING] == 10


async def test_a_key_in_a_strangers_transaction_keeps_only_those_waiting_who_want_it(
    postgres_url: str,
) -> None:
    stranger = await asyncpg.connect(postgres_url)
    async with Windlass(postgres_url) as app, stranger.transaction():
        declared = app.job(welcome)
        held = declared.options(idempotency_key="held")
        await app.enqueue(held.job("ada"), connection=stranger)
        jobs = [held.job("ada"), held.job("ada")]
        jobs += [declared.options(idempotency_key=f"free {n}").job("ada") for n in range(5)]

        answers = await asyncio.gather(
            *(app.enqueue(job) for job in jobs), declared.enqueue("eve"), return_exceptions=True
        )

        assert [type(answer) for answer in answers[:2]] == [Busy, Busy]
        assert not [answer for answer in answers[2:] if isinstance(answer, BaseException)]
    await stranger.close()


async def test_the_same_key_answers_with_the_job_that_has_it(app: Windlass) -> None:
    declared = app.job(welcome).options(idempotency_key="ada")
    first = await declared.enqueue(user="ada")

    again = await declared.enqueue(user="ada")

    assert (again.id, again.existing) == (first.id, True)


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda a: a.job_of("welcom", {}), UnknownType, "known types: welcome"),
        (lambda a: a.job_of("welcome", {}), BadPayload, "missing required field `user`"),
        (lambda a: a.job_of("welcome", [1]), BadPayload, "Expected `object`, got `array`"),
        (lambda a: a.job_of("welcome", b"{"), BadPayload, "truncated"),
        (lambda a: a.job_of("welcome", b'{"user":NaN}'), BadPayload, "malformed"),
        (lambda a: a.job_of("welcome", b" " * 2_000_000), PayloadTooLarge, "2,000,000 bytes"),
        (lambda a: a.job_of("welcome", {"user": "a" * 2**20}), PayloadTooLarge, "over the limit"),
        (lambda a: a.job_of("welcome", {"user": "a"}, priority=101), BadInput, "-100 to 100"),
        (lambda a: a.job_of("welcome", {"user": "a"}, thread_demand=0), BadInput, "1 to 256"),
        (lambda a: a.job_of("welcome", {"user": "a"}, delay=-1), BadInput, "delay must be"),
        (lambda a: a.job_of("welcome", {"user": "a"}, max_attempts=0), BadInput, "1 to 1000"),
        (
            lambda a: a.job_of("welcome", {"user": "a"}, prio=1),
            BadInput,
            "no option 'prio'; it has",
        ),
        (
            lambda a: a.job_of("welcome", {"user": "a"}, delay=1, run_at=datetime.now(UTC)),
            BadInput,
            "delay or run_at, not both",
        ),
        (lambda a: a.job_of("welcome", {"user": "a"}, timeout=0), BadInput, "timeout"),
        (lambda a: a.job_of("welcome", {"user": "a"}, queue="@x"), BadInput, "begin with '@'"),
    ],
)
async def test_bad_input_is_refused_at_once_and_changes_nothing(
    app: Windlass, make: Callable[[Any], NewJob], error: type[Exception], said: str
) -> None:
    app.job(welcome)

    with pytest.raises(error, match=said):
        await app.enqueue(make(app))

    assert set((await app.stats()).states.values()) == {0}


async def test_a_job_is_made_by_the_name_of_its_type(app: Windlass) -> None:
    app.job(queue="mail")(welcome)

    enqueued = await app.enqueue(app.job_of("welcome", b'{"user": "ada"}', priority=3))

    job = await app.get(enqueued.id)
    assert (job.payload, job.queue, job.priority) == ({"user": "ada"}, "mail", 3)


async def test_only_jobs_are_enqueued_and_each_once(app: Windlass) -> None:
    declared = app.job(welcome)
    job = declared.job("ada")
    wrong: Any = declared

    with pytest.raises(BadInput, match=r"made by a job type's \.job\(…\), not JobType"):
        await app.enqueue(wrong)
    with pytest.raises(BadInput, match="the same job is there twice"):
        await app.enqueue_many([job, job])


class Mailer:
    """An executor that is an object."""

    type = "email"

    async def execute(self, payload: dict[str, str], ctx: Context) -> str:
        """Send it."""
        return f"{payload['to']} by {ctx.type}"


async def test_an_object_is_registered_and_enqueued_with_its_payload(app: Windlass) -> None:
    email = app.register(Mailer(), queue="mail")

    enqueued = await email.enqueue({"to": "ada"})

    job = await app.get(enqueued.id)
    assert (job.type, job.queue, job.payload) == ("email", "mail", {"to": "ada"})
    assert app.registry.types() == ["email"]


async def test_waiting_ends_with_the_job(app: Windlass, hand: Hand) -> None:
    declared = app.job(welcome)
    await hand.join("welcome")
    enqueued = await declared.enqueue("ada")
    waiting = [asyncio.create_task(app.wait(enqueued.id)) for _ in range(5)]

    await hand.end(await hand.take(), Done('{"said": "hello"}'))

    for job in await asyncio.gather(*waiting):
        assert (job.state, job.result) == (State.COMPLETED, {"said": "hello"})


async def test_waiting_for_a_finished_job_returns_at_once(app: Windlass, hand: Hand) -> None:
    declared = app.job(welcome)
    await hand.join("welcome")
    enqueued = await declared.enqueue("ada")
    await hand.end(await hand.take())

    job = await app.wait(enqueued.id, timeout=None)

    assert job.result == 1


async def test_waiting_gives_up_after_its_timeout_and_the_job_goes_on(app: Windlass) -> None:
    enqueued = await app.job(welcome).enqueue("ada")

    with pytest.raises(NotFinished, match=r"after 0\.1 s, and goes on: no worker is alive"):
        await app.wait(enqueued.id, timeout=0.1)

    assert (await app.get(enqueued.id)).state is State.PENDING


@pytest.mark.parametrize("verb", ["get", "wait", "cancel", "retry", "delete", "explain"])
async def test_a_job_that_is_not_there_is_named(app: Windlass, verb: str) -> None:
    for job_id in (NOBODY, "42"):
        with pytest.raises(UnknownJob, match=f"no job {job_id}"):
            await getattr(app, verb)(job_id)


async def test_a_waiting_job_is_cancelled_at_once_and_can_be_retried(app: Windlass) -> None:
    enqueued = await app.job(welcome).enqueue("ada")

    cancelled = await app.cancel(enqueued.id)
    again = await app.cancel(enqueued.id)
    retried = await app.retry(enqueued.id)

    assert [cancelled.state, again.state, retried.state] == ["cancelled", "cancelled", "pending"]


async def test_a_running_job_is_asked_to_stop(app: Windlass, hand: Hand) -> None:
    declared = app.job(welcome)
    await hand.join("welcome")
    enqueued = await declared.enqueue("ada")
    await hand.take()

    job = await app.cancel(enqueued.id)

    assert (job.state, job.cancel_requested) == (State.RUNNING, True)
    assert [ask.job for ask in await hand.store.asked(hand.node)] == [enqueued.id]


async def test_what_is_over_cannot_be_cancelled_and_what_is_done_not_retried(
    app: Windlass, hand: Hand
) -> None:
    declared = app.job(welcome)
    await hand.join("welcome")
    enqueued = await declared.enqueue("ada")
    with pytest.raises(WrongState, match="is pending; it is not finished"):
        await app.retry(enqueued.id)
    with pytest.raises(WrongState, match="is pending; only finished jobs can be deleted"):
        await app.delete(enqueued.id)
    await hand.end(await hand.take())

    with pytest.raises(WrongState, match="is completed; it is over"):
        await app.cancel(enqueued.id)
    with pytest.raises(WrongState, match="is completed; it is done; replay it"):
        await app.retry(enqueued.id)

    await app.delete(enqueued.id)
    with pytest.raises(UnknownJob):
        await app.get(enqueued.id)


async def test_a_failed_job_keeps_its_attempts_and_can_be_retried(
    app: Windlass, hand: Hand
) -> None:
    declared = app.job(max_attempts=1)(welcome)
    await hand.join("welcome")
    enqueued = await declared.enqueue("ada")
    await hand.end(await hand.take(), Failed("no route", trace="line 1"))

    failed = await app.get(enqueued.id)
    [attempt] = await app.attempts(enqueued.id)
    retried = await app.retry(enqueued.id)

    assert (failed.state, failed.error, failed.reason) == ("failed", "no route", "attempts")
    assert (attempt.error, attempt.trace) == ("no route", "line 1")
    assert (retried.state, retried.failures, retried.attempts) == ("pending", 0, 1)


async def test_jobs_are_listed_newest_first_and_page_by_page(app: Windlass) -> None:
    declared = app.job(welcome)
    ids = [(await declared.enqueue(f"user {n}")).id for n in range(5)]
    await app.cancel(ids[0])

    first = await app.jobs(limit=2)
    then = await app.jobs(limit=10, before=first[-1].id)

    assert [job.id for job in [*first, *then]] == ids[::-1]
    assert [job.id for job in await app.jobs(status="cancelled")] == [ids[0]]
    assert len(await app.jobs(status=["cancelled", State.PENDING], type="welcome")) == 5
    assert await app.jobs(queue="other") == []


@pytest.mark.parametrize(
    ("which", "said"),
    [
        ({"status": "done"}, "no state 'done'; states: scheduled"),
        ({"limit": 0}, "limit must be"),
        ({"stat": "failed"}, "cannot be listed by 'stat', but by before, created_after"),
    ],
)
async def test_a_list_that_cannot_be_is_refused(
    app: Windlass, which: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        await app.jobs(**which)


async def test_a_paused_queue_explains_its_jobs_until_it_is_resumed(
    app: Windlass, hand: Hand
) -> None:
    declared = app.job(queue="mail")(welcome)
    await hand.join("welcome")
    enqueued = await declared.enqueue("ada")

    await app.pause("mail", by="ada")
    paused = (await app.explain(enqueued.id)).sentences
    [queue] = await app.queues()
    await app.resume("mail")

    assert paused == ["queue mail is paused by ada"]
    assert (queue.name, queue.paused_by) == ("mail", "ada")
    assert (await app.explain(enqueued.id)).sentences == ["is next in line"]
    assert len((await app.fleet()).workers) == 1


async def test_aging_is_changed_for_those_who_wait_too(app: Windlass) -> None:
    declared = app.job(welcome)
    await app.enqueue_many([declared.job("ada"), declared.options(priority=1).job("eve")])

    before = await app.aging()
    await app.set_aging("strict")

    assert before == timedelta(seconds=60)
    assert await app.aging() == STRICT_AGING
    await app.set_aging(timedelta(seconds=1))
    assert await app.aging() == timedelta(seconds=1)


async def test_what_a_handler_left_is_read_by_the_job(app: Windlass) -> None:
    enqueued = await app.job(welcome).enqueue("ada")

    assert await app.progress(enqueued.id) is None
    assert await app.lines(enqueued.id) == []
    assert await app.kept(enqueued.id, "report.pdf") is None


async def test_a_close_that_is_cancelled_lets_go_of_everything_all_the_same(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = Windlass(sqlite_url)
    home = await app.home()
    closed: list[str] = []

    def noting(name: str) -> Callable[[], Any]:
        close = getattr(home, name).close

        async def noted() -> None:
            await close()
            closed.append(name)

        return noted

    for name in ("bell", "hail", "store"):
        monkeypatch.setattr(getattr(home, name), "close", noting(name))
    monkeypatch.setattr(home.sender, "close", asyncio.Event().wait)
    closing = asyncio.create_task(app.close())
    await asyncio.sleep(0)

    closing.cancel()
    await asyncio.wait({closing})

    assert closing.cancelled()
    assert closed == ["bell", "hail", "store"]


async def test_a_close_while_the_store_is_opened_leaves_none_open(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = Windlass(sqlite_url)
    opened: list[str] = []
    closed: list[str] = []
    open_, close = Storehouse.store, SqlStore.close

    async def opening(house: Storehouse) -> SqlStore:
        opened.append("store")
        return await open_(house)

    async def closing(store: SqlStore) -> None:
        closed.append("store")
        await close(store)

    monkeypatch.setattr(Storehouse, "store", opening)
    monkeypatch.setattr(SqlStore, "close", closing)

    await asyncio.gather(app.home(), app.close(), app.home())
    await app.close()

    assert opened == closed


async def test_types_without_a_backoff_of_their_own_have_the_one_that_is_set(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINDLASS_BACKOFF", "1s")
    app = Windlass(sqlite_url)

    @app.job
    def plain() -> None: ...

    @app.job(backoff=Backoff(base=5))
    def patient() -> None: ...

    usual = plain.executor.backoff
    assert usual is not None
    assert [usual.delay(failures, chance=0) for failures in (1, 2, 3, 4)] == [1, 2, 4, 8]
    assert patient.executor.backoff == Backoff(base=5)
