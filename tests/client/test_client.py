"""Both clients, on a real service."""

import asyncio
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from tests.client.conftest import Asker, Connect
from tests.client.upped import Upped
from tests.waiting import until
from windlass.client import (
    AsyncClient,
    Backoff,
    BadAnswer,
    BadRequest,
    Client,
    Job,
    KeyTaken,
    NoAnswer,
    NotAllowed,
    NotFinished,
    NotThere,
    Patience,
    State,
    WindlassError,
    WrongState,
    new_job,
)
from windlass.core.errors import BadInput

NOBODY = "http://127.0.0.1:9"
SOON = Patience(tries=2, backoff=Backoff(base=0.01))


async def test_a_job_is_submitted_and_waited_for(ask: Asker) -> None:
    accepted = await ask("submit", "add_numbers", {"x": 2, "y": 3}, name="two and three")
    job = await ask("wait", accepted.id, timeout=timedelta(seconds=30))

    assert accepted.status is State.PENDING
    assert (job.status, job.result, job.name) == (State.COMPLETED, {"sum": 5}, "two and three")
    assert job.completed_at > job.created_at


async def test_options_reach_the_job(ask: Asker) -> None:
    accepted = await ask(
        "submit",
        "stumble",
        {"word": "no"},
        queue="later",
        priority=7,
        delay=timedelta(hours=1),
        max_attempts=9,
        timeout=5,
        backoff=Backoff(base=1, cap=60),
    )
    job = await ask("get", accepted.id)

    assert (job.queue, job.priority, job.max_attempts, job.timeout) == ("later", 7, 9, 5.0)
    assert job.status is State.SCHEDULED
    assert job.scheduled_at - job.created_at > timedelta(minutes=59)


async def test_the_same_key_is_the_same_job(ask: Asker) -> None:
    key = f"once-{type(ask.client).__name__}"

    first, second = [
        await ask("submit", "add_numbers", {"x": 1, "y": 1}, idempotency_key=key) for _ in range(2)
    ]
    with pytest.raises(KeyTaken, match="with another type, queue or payload") as refused:
        await ask("submit", "add_numbers", {"x": 1, "y": 2}, idempotency_key=key)

    assert first.id == second.id
    assert (refused.value.status, refused.value.name) == (422, "key-taken")


async def test_many_jobs_are_submitted_and_watched_until_all_are_over(ask: Asker) -> None:
    jobs = [new_job("add_numbers", {"x": x, "y": 0}) for x in range(5)]

    batched = await ask("submit_many", [*jobs, new_job("report", {"title": "large"})])
    told = await ask.each("watch", [verdict.id.upper() for verdict in batched.jobs])

    over = {job.id: job for job in told if job.status.finished}
    assert batched.accepted == 6
    assert [over[verdict.id].result for verdict in batched.jobs[:5]] == [
        {"sum": x} for x in range(5)
    ]
    assert len(over[batched.jobs[5].id].result) == 20_000


async def test_a_batch_keeps_all_or_none_unless_it_is_told_otherwise(ask: Asker) -> None:
    jobs = [new_job("add_numbers", {"x": 1, "y": 1}), new_job("add_numbers", {"x": "one"})]

    with pytest.raises(BadRequest, match="1 of 2 jobs cannot be, so none was kept") as refused:
        await ask("submit_many", jobs)
    batched = await ask("submit_many", jobs, atomic=False)

    assert refused.value.problem.errors is not None
    assert (batched.accepted, batched.refused) == (1, 1)
    assert batched.jobs[1].problem == "bad-payload"


async def test_lists_are_read_page_by_page(ask: Asker) -> None:
    name = f"page-{type(ask.client).__name__}"
    batched = await ask(
        "submit_many", [new_job("add_numbers", {"x": x, "y": 0}, name=name) for x in range(7)]
    )

    page = await ask("page", name=name, limit=3)
    every = await ask.each("jobs", q="type:add_numbers", name=name, limit=3)

    newest = [verdict.id for verdict in reversed(batched.jobs)]
    assert ([job.id for job in page.jobs], page.next) == (newest[:3], newest[2])
    assert [job.id for job in every] == newest
    assert await ask.each("jobs", name=name, status=["failed", State.CANCELLED]) == []


async def test_a_failed_job_tells_why_and_is_retried(ask: Asker) -> None:
    accepted = await ask("submit", "stumble", {"word": "ouch"})
    failed = await ask("wait", accepted.id, 30)
    attempts = await ask("attempts", accepted.id)
    again = await ask("retry", accepted.id)
    await ask("wait", accepted.id, 30)

    assert (failed.status, failed.error) == (State.FAILED, "RuntimeError: ouch")
    assert [attempt.error for attempt in attempts] == ["RuntimeError: ouch"]
    assert again.status in (State.PENDING, State.RUNNING, State.FAILED)
    assert len(await ask("attempts", accepted.id)) == 2


async def test_a_running_job_is_watched_explained_and_cancelled(ask: Asker, tmp_path: Path) -> None:
    accepted = await ask("submit", "hold", {"gate": str(tmp_path / "gate")})
    with pytest.raises(NotFinished, match="is still"):
        await ask("wait", accepted.id, timeout=0.2)

    async def holding() -> bool:
        told = await ask("progress", accepted.id)
        return told is not None and told.message == "holding"

    await until(holding)
    why = await ask("explain", accepted.id)
    asked = await ask("cancel", accepted.id)
    ended = await ask("wait", accepted.id, 30)
    with pytest.raises(WrongState, match="it is over; retry it, or replay it"):
        await ask("run_now", accepted.id)

    assert (why.status, bool(why.reasons)) == (State.RUNNING, True)
    assert asked.cancel_requested or asked.status is State.CANCELLED
    assert ended.status is State.CANCELLED


async def test_what_a_job_left_behind_is_read_replayed_and_forgotten(ask: Asker) -> None:
    accepted = await ask("submit", "report", {"title": "The year"})
    await ask("wait", accepted.id, 30)
    replay = await ask("replay", accepted.id, {"title": "The next year"})
    replayed = await ask("wait", replay.id, 30)
    links = await ask("links", replay.id)

    assert [line.message for line in await ask("lines", accepted.id)] == ["writing The year"]
    assert await ask("kept", accepted.id, "report.txt") == b"The year"
    assert replayed.payload == {"title": "The next year"}
    assert links.replay_of == accepted.id
    await ask("delete", accepted.id)
    with pytest.raises(NotThere, match=f"no job {accepted.id}"):
        await ask("get", accepted.id)


async def test_a_bulk_action_is_a_job_to_wait_for(ask: Asker) -> None:
    name = f"bulk-{type(ask.client).__name__}"
    await ask("submit_many", [new_job("stumble", {"word": "x"}, name=name, delay=3600)] * 3)

    accepted = await ask("bulk", "cancel", f"name:{name}", idempotency_key=name)
    done = await ask("wait", accepted.id, 30)

    assert done.result == {"matched": 3, "changed": 3}


async def test_queues_are_read_paused_and_resumed(ask: Asker) -> None:
    name = f"quiet-{type(ask.client).__name__}"

    paused = await ask("pause", name)
    listed = [queue.name for queue in await ask("queues")]
    resumed = await ask("resume", name)

    assert (paused.paused, name in listed, resumed.paused) == (True, True, False)
    assert (await ask("queue", name)).pending == 0


async def test_the_fleet_is_told(ask: Asker) -> None:
    await until(lambda: ask("workers"))

    [worker] = [worker for worker in await ask("workers") if not worker.alone]
    types = {one.type: one for one in await ask("types")}

    assert worker.alive
    assert "'gate': {'type': 'string'}" in str(types["hold"].payload_schema)
    assert set(await ask("stats")) == set(State)
    assert await ask("incidents") is not None
    assert await ask("ready")


async def test_bad_input_is_refused_in_the_words_of_the_service(ask: Asker) -> None:
    with pytest.raises(BadRequest, match="no job type 'add_number'; known types: add_numbers"):
        await ask("submit", "add_number")
    with pytest.raises(BadRequest, match="at character 1"):
        await ask("page", q="colour:red")
    with pytest.raises(BadInput, match="a job has no option 'prio'; it has backoff, delay"):
        await ask("submit", "add_numbers", prio=1)
    with pytest.raises(BadInput, match="cannot be written as JSON"):
        await ask("submit", "add_numbers", {"x": object()})


def test_threads_may_share_a_client(service: str) -> None:
    with Client(service) as client, ThreadPoolExecutor(8) as threads:
        kept = list(threads.map(lambda n: client.submit("stumble", {"word": str(n)}), range(40)))

    assert len({accepted.id for accepted in kept}) == 40


async def test_nobody_there_is_told_as_such(connect: Connect) -> None:
    ask = connect(NOBODY, patience=SOON)

    with pytest.raises(NoAnswer, match="no answer from the service: ") as silent:
        await ask("submit", "add_numbers", {"x": 1, "y": 1})

    assert not silent.value.heard
    assert isinstance(silent.value, WindlassError)
    assert not await ask("ready")


async def test_who_is_no_windlass_is_not_taken_for_one(connect: Connect, service: str) -> None:
    with pytest.raises(NotThere, match="there is nothing here"):
        await connect(f"{service}/elsewhere")("stats")
    with pytest.raises(BadAnswer, match="check the address and the version"):
        await connect(f"{service}/ui")("stats")
    for wrong in ("localhost:8080", "http://", "http://here:port", f"{service}?token=x"):
        with pytest.raises(BadInput, match="write it like http:"):
            connect(wrong)


def test_a_token_is_shown_and_never_told(tmp_path: Path) -> None:
    upped = Upped(tmp_path, WINDLASS_SECRET="0123456789abcdef" * 2)
    upped.start()
    token = upped.run("token", "--scope", "jobs:read").strip()

    with Client(upped.url, token=lambda: f"{token}\n") as reader, Client(upped.url) as stranger:
        counted = reader.stats()
        with pytest.raises(NotAllowed, match="lacks the scope jobs:write"):
            reader.submit("add_numbers", {"x": 1, "y": 1})
        with pytest.raises(NotAllowed, match="send a token as Authorization: Bearer"):
            stranger.stats()
    upped.kill()

    assert sum(counted.values()) == 0
    assert token not in repr(Client(upped.url, token=token))
    with pytest.raises(BadInput, match="characters that no token has") as refused:
        Client(upped.url, token=lambda: "a secret\nof two lines").stats()
    assert "secret" not in str(refused.value)


async def test_waiting_and_watching_outlast_a_service_that_starts_again(tmp_path: Path) -> None:
    upped, sent = Upped(tmp_path), 0
    upped.start()

    def count() -> str:
        nonlocal sent
        sent += 1
        return ""

    askers = [Asker(kind(upped.url, token=count)) for kind in (Client, AsyncClient)]
    accepted = await askers[0]("submit", "stumble", {"word": "late"}, delay=3600)
    waiting = [asyncio.create_task(ask("wait", accepted.id, 60)) for ask in askers]
    told: list[list[Job]] = [[], []]
    watching = [
        asyncio.create_task(ask.listen(own, "watch", [accepted.id]))
        for ask, own in zip(askers, told, strict=True)
    ]
    await until(lambda: sent >= 10 and all(told))  # each has been answered by now

    upped.kill()
    await asyncio.to_thread(upped.start)
    await askers[1]("cancel", accepted.id)
    waited = await asyncio.gather(*waiting)
    await asyncio.gather(*watching)
    for ask in askers:
        await ask.close()
    upped.kill()

    assert {job.status for job in waited} == {State.CANCELLED}
    assert [[job.status for job in jobs] for jobs in told] == [
        [State.SCHEDULED, State.CANCELLED]
    ] * 2


def test_it_loads_nothing_of_the_engine() -> None:
    program = (
        "import sys, windlass.client\n"
        "engine = ('app', 'wiring', 'worker', 'store', 'http', 'cli.', 'config', 'executors')\n"
        "print([m for m in sys.modules if m.startswith(tuple(f'windlass.{e}' for e in engine))])"
    )

    printed = subprocess.check_output([sys.executable, "-c", program], text=True)

    assert printed.strip() == "[]"


def test_a_missing_library_is_named() -> None:
    program = "import sys; sys.modules['httpx2'] = None; import windlass.client"

    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert "pip install 'windlass[client]'" in ended.stderr


def test_both_clients_have_the_same_verbs() -> None:
    verbs = [{name for name in vars(one) if name[0] != "_"} for one in (Client, AsyncClient)]

    assert verbs[0] == verbs[1]
