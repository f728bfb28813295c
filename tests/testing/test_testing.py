"""The help for tests of programs that use Windlass, used as such a program would."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from windlass import Context, Discard, Snooze, State, Windlass
from windlass.testing import OwnClock, assert_enqueued, bound, drain, drain_blocking, enqueued

# The app of a program, as it stands in some module of it.
shop = Windlass("postgresql://nobody@nowhere.invalid/shop")
receipts: list[str] = []


@shop.job(queue="mail")
async def receipt(order: int, day: date) -> str:
    """Send a receipt, and note that it was sent."""
    receipts.append(f"{order} of {day}")
    return f"sent {order}"


@shop.job(max_attempts=2)
def charge(order: int) -> None:
    """Charge for an order, which enqueues its receipt."""
    if order < 0:
        raise ValueError("no such order")
    shop.blocking.enqueue(receipt.job(order, date(2030, 1, 2)))


@pytest.fixture
def app(app_clock: OwnClock) -> Iterator[Windlass]:
    """The program's app, with its jobs in memory."""
    with bound(shop, app_clock):
        yield shop


async def test_a_programs_own_app_is_bound_to_memory(app: Windlass) -> None:
    await receipt.enqueue(7, date(2030, 1, 2))

    job = assert_enqueued(app, receipt, order=7)

    assert (job.queue, job.state) == ("mail", State.PENDING)
    assert app.settings.store == "sqlite://:memory:"


def test_the_app_is_its_own_again_afterwards(app_clock: OwnClock) -> None:
    before = dict(vars(shop))

    with bound(shop, app_clock):
        assert shop.settings.store == "sqlite://:memory:"

    assert vars(shop) == before


async def test_what_is_due_runs_with_all_that_it_enqueues(app: Windlass) -> None:
    receipts.clear()
    await charge.enqueue(order=3)

    ran = await drain(app)

    assert [(job.type, job.state) for job in ran] == [
        ("charge", State.COMPLETED),
        ("receipt", State.COMPLETED),
    ]
    assert ran[1].result == "sent 3"
    assert receipts == ["3 of 2030-01-02"]
    assert await drain(app) == []


def test_a_test_without_a_loop_can_do_the_same(app: Windlass) -> None:
    app.blocking.enqueue(charge.job(4))

    ran = drain_blocking(app)

    assert [job.type for job in ran] == ["charge", "receipt"]
    assert assert_enqueued(app, "receipt", order=4, day=date(2030, 1, 2)).result == "sent 4"


async def test_a_failure_waits_for_its_retry_until_the_test_lets_time_pass(
    app: Windlass, app_clock: OwnClock
) -> None:
    await charge.enqueue(order=-1)

    [first] = await drain(app)
    early = await drain(app)
    app_clock.advance(2)
    [second] = await drain(app)

    assert (first.state, first.error) == (State.SCHEDULED, "ValueError: no such order")
    assert early == []
    assert (second.state, second.attempts) == (State.FAILED, 2)


async def test_a_later_job_runs_when_its_time_has_come(
    windlass_app: Windlass, app_clock: OwnClock
) -> None:
    @windlass_app.job
    async def remind(who: str) -> None:
        pass

    await remind.options(delay=timedelta(hours=1)).enqueue("ada")
    await remind.options(run_at=app_clock.now() + timedelta(hours=2)).enqueue("eve")

    app_clock.advance(timedelta(minutes=59, seconds=59))
    assert await drain(windlass_app) == []
    app_clock.advance(1)
    assert [job.payload for job in await drain(windlass_app)] == [{"who": "ada"}]
    app_clock.advance(3600)
    assert [job.payload for job in await drain(windlass_app)] == [{"who": "eve"}]


async def test_handlers_get_a_context_that_works(windlass_app: Windlass) -> None:
    @windlass_app.job(thread_demand=3)
    async def work(ctx: Context, text: str) -> None:
        ctx.progress(0.5, "half way")
        ctx.log(f"seen {text}")
        ctx.keep("report.txt", text.encode())
        ctx.result(ctx.threads)

    await work.enqueue("a")

    [job] = await drain(windlass_app)

    progress = await windlass_app.progress(job.id)
    [line] = await windlass_app.lines(job.id)
    kept = await windlass_app.kept(job.id, "report.txt")
    assert progress is not None
    assert kept is not None
    assert (job.result, progress.fraction, line.message) == (3, 0.5, "seen a")
    assert kept.content == b"a"


async def test_effects_commit_with_the_end_of_the_attempt(windlass_app: Windlass) -> None:
    @windlass_app.job
    async def book(ctx: Context, amount: int) -> None:
        async with ctx.transaction() as connection:
            await connection.execute("create table if not exists ledger (amount integer)")
            await connection.execute("insert into ledger values (?)", [amount])
            if amount < 0:
                raise Discard("no debts")
            ctx.result("booked")

    await book.enqueue(5)
    await book.enqueue(-5)

    ran = await drain(windlass_app)

    assert [(job.state, job.result, job.error) for job in ran] == [
        (State.COMPLETED, "booked", None),
        (State.FAILED, None, "no debts"),
    ]


async def test_isolated_handlers_run_in_a_thread_of_the_test(windlass_app: Windlass) -> None:
    @windlass_app.job(isolation="process")
    def heavy(number: int) -> int:
        return number * 2

    await heavy.enqueue(21)

    assert [job.result for job in await drain(windlass_app)] == [42]


async def test_an_endless_chain_is_noticed(windlass_app: Windlass) -> None:
    @windlass_app.job
    async def again() -> None:
        raise Snooze(0)

    await again.enqueue()

    with pytest.raises(AssertionError, match="after 5 attempts something is still due"):
        await drain(windlass_app, at_most=5)


async def test_what_was_not_enqueued_is_said_with_what_was(app: Windlass) -> None:
    await receipt.enqueue(7, date(2030, 1, 2))

    with pytest.raises(AssertionError, match=r"no job receipt with \{'order': 8\}.*\n  receipt"):
        assert_enqueued(app, receipt, order=8)
    with pytest.raises(AssertionError, match=r"no job charge with \{\}"):
        assert_enqueued(app, "charge")


def test_nothing_enqueued_is_said_too(app: Windlass) -> None:
    with pytest.raises(AssertionError, match="but: nothing"):
        assert_enqueued(app, receipt)


def test_jobs_are_listed_in_their_order(app: Windlass) -> None:
    app.blocking.enqueue_many([charge.job(1), receipt.job(2, date(2030, 1, 2)), charge.job(3)])

    assert [job.type for job in enqueued(app)] == ["charge", "receipt", "charge"]
    assert [job.payload["order"] for job in enqueued(app, charge)] == [1, 3]


async def test_a_payload_that_is_one_document_is_found_without_fields(
    windlass_app: Windlass,
) -> None:
    class Sum:
        type = "sum"

        async def execute(self, payload: list[int], ctx: Context) -> int:  # noqa: ARG002
            return sum(payload)

    await windlass_app.register(Sum()).enqueue([1, 2])

    assert assert_enqueued(windlass_app, "sum").payload == [1, 2]
    with pytest.raises(AssertionError):
        assert_enqueued(windlass_app, "sum", field=1)
    assert [job.result for job in await drain(windlass_app)] == [3]


def test_each_test_has_a_store_of_its_own(windlass_app: Windlass) -> None:
    assert enqueued(windlass_app) == []


def test_the_clock_stands_still_until_it_is_advanced() -> None:
    class Noon:
        def now_us(self) -> int:
            return 1_000_000

        def monotonic(self) -> float:
            return 0.0

    clock = OwnClock(Noon())
    before = clock.now()

    clock.advance(1.5)

    assert before == datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert clock.now() - before == timedelta(seconds=1.5)
    assert (clock.now_us(), clock.monotonic()) == (2_500_000, 2.5)


def test_a_name_that_is_not_there_is_an_error() -> None:
    module: Any = sys.modules["windlass.testing"]

    with pytest.raises(AttributeError, match=r"'windlass\.testing' has no attribute 'drian'"):
        _ = module.drian


def test_pytest_finds_the_fixtures_by_itself_and_loads_little_for_them(tmp_path: Path) -> None:
    test = tmp_path / "test_program.py"
    test.write_text(
        "import sys\n"
        "def test_little_is_loaded():\n"
        "    assert not [m for m in ('windlass.wiring', 'msgspec') if m in sys.modules]\n"
        "def test_the_fixture_is_there(windlass_app, app_clock):\n"
        "    assert windlass_app.storehouse.clock is app_clock\n"
    )

    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    assert ran.returncode == 0, ran.stdout


async def test_a_bulk_action_is_drained_like_any_job(app: Windlass) -> None:
    await receipt.enqueue(7, date(2030, 1, 2))
    await app.bulk("cancel", "type:receipt")

    [action] = await drain(app)

    assert (action.type, action.result) == ("windlass.bulk", {"matched": 1, "changed": 1})
