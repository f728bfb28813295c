"""Looking at jobs, and acting on them."""

import time

import pytest

from tests.app.hand import Hand
from tests.cli.terminal import Terminal
from windlass.core.backoff import DEFAULT_BACKOFF
from windlass.core.outcome import Failed
from windlass.core.settle import settle
from windlass.store.records import LogLine, Progress

NOBODY = "01980e5c-7a2b-7cc3-9d1e-3f5a6b7c8d9e"


def test_jobs_lists_the_newest_first(windlass: Terminal) -> None:
    older = windlass.enqueued("greet")
    newer = windlass.enqueued("walk")

    listed = windlass("jobs", "--json")
    shown = windlass("jobs")

    assert [job["id"] for job in listed.json] == [newer, older]
    [titles, first, second] = shown.out.splitlines()
    assert titles.split()[:4] == ["id", "state", "type", "queue"]
    assert first.startswith(newer)
    assert second.startswith(older)


def test_jobs_can_be_chosen_by_state_type_and_queue(windlass: Terminal) -> None:
    plain = windlass.enqueued("greet")
    later = windlass.enqueued("greet", "--delay", "1h")
    walk = windlass.enqueued("walk")
    mail = windlass.enqueued("greet", "--queue", "mail")

    assert _ids(windlass, "--status", "scheduled") == [later]
    assert _ids(windlass, "--state", "pending", "--state", "scheduled", "--type", "greet") == [
        mail,
        later,
        plain,
    ]
    assert _ids(windlass, "--type", "walk") == [walk]
    assert _ids(windlass, "--queue", "mail") == [mail]


def test_jobs_can_be_chosen_by_a_query(windlass: Terminal) -> None:
    plain = windlass.enqueued("greet")
    windlass.enqueued("walk")
    later = windlass.enqueued("greet", "--delay", "1h", "--name", "the last one")

    assert _ids(windlass, "type:greet age:<1h") == [later, plain]
    assert _ids(windlass, 'name:"the last one"') == [later]
    assert _ids(windlass, "type:greet", "--status", "pending") == [plain]
    assert _ids(windlass, "age:>1h") == []


def test_a_query_that_cannot_be_read_says_where(windlass: Terminal) -> None:
    refused = windlass("jobs", "type:greet stat:failed")

    assert refused.code == 2
    assert "at character 12: no field 'stat'; fields: status, type" in refused.err


def test_a_full_page_says_how_to_see_the_next(windlass: Terminal) -> None:
    [first, second, third] = [windlass.enqueued("greet") for _ in range(3)]

    page = windlass("jobs", "--limit", "2")

    assert f"add --before {second}" in page.err
    assert _ids(windlass, "--limit", "2") == [third, second]
    assert _ids(windlass, "--limit", "2", "--before", second) == [first]


def test_an_empty_list_says_what_to_try(windlass: Terminal) -> None:
    nothing = windlass("jobs")
    none_such = windlass("jobs", "--status", "failed")

    assert nothing.out == "no jobs\n"
    assert "windlass enqueue" in nothing.err
    assert "windlass stats" in none_such.err


def test_a_state_that_does_not_exist_is_refused_with_those_that_do(windlass: Terminal) -> None:
    answer = windlass("jobs", "--status", "dead")

    assert answer.code == 2
    assert "no state 'dead'; states: scheduled, pending, running" in answer.err


def test_job_says_why_it_waits(windlass: Terminal) -> None:
    job_id = windlass.enqueued("greet")
    windlass("pause", "default")

    shown = windlass("job", job_id)
    told = windlass("job", job_id, "--json").json

    assert "○ pending  greet" in shown.out
    assert "no worker is alive" in shown.out
    assert told["why"][0].startswith("queue default is paused by")
    assert told["why"][1:] == ["no worker is alive"]


def test_explain_says_only_why(windlass: Terminal) -> None:
    job_id = windlass.enqueued("greet")

    shown = windlass("explain", job_id)
    told = windlass("explain", job_id, "--json").json

    assert shown.out == "no worker is alive\n"
    assert told["sentences"] == ["no worker is alive"]
    assert (told["state"], told["workers"]) == ("pending", 0)


async def test_job_shows_times_attempts_log_and_progress(windlass: Terminal, hand: Hand) -> None:
    job_id = await _failed(windlass, hand)

    told = windlass("job", job_id, "--json").json
    shown = windlass("job", job_id).out

    assert told["state"] == "failed"
    assert told["error"] == "RuntimeError: no wind"
    assert [attempt["trace"] for attempt in told["past_attempts"]] == ["a trace"]
    assert told["progress"]["fraction"] == 0.5
    assert [line["message"] for line in told["log"]] == ["set sail"]
    assert told["execution_time"] == pytest.approx(0.25, abs=0.01)
    assert told["total_time"] > 0
    for words in ("✗ failed", "RuntimeError: no wind", "a trace", "50% half way", "set sail"):
        assert words in shown
    assert "· execution 250 ms · total" in shown


async def test_a_job_that_failed_can_be_retried(windlass: Terminal, hand: Hand) -> None:
    job_id = await _failed(windlass, hand)

    answer = windlass("retry", job_id, "--json")

    assert answer.code == 0
    assert answer.json == [{"id": job_id, "state": "pending", "cancel_requested": False}]
    assert windlass("job", job_id, "--json").json["attempts"] == 1


def test_a_job_that_waits_cannot_be_retried(windlass: Terminal) -> None:
    job_id = windlass.enqueued("greet")

    answer = windlass("retry", job_id)

    assert answer.code == 1
    assert f"job {job_id} is pending; it is not finished" in answer.err
    assert answer.out == ""


def test_jobs_that_wait_are_cancelled_at_once(windlass: Terminal) -> None:
    job_ids = [windlass.enqueued("greet"), windlass.enqueued("greet", "--delay", "1h")]

    answer = windlass("cancel", *job_ids)

    assert answer.code == 0
    assert answer.out.count("⊘ cancelled") == 2
    assert _ids(windlass, "--status", "cancelled") == job_ids[::-1]


async def test_a_running_job_is_asked_to_stop(windlass: Terminal, hand: Hand) -> None:
    job_id = windlass.enqueued("greet")
    await hand.join("greet")
    await hand.take()

    answer = windlass("cancel", job_id)

    assert answer.code == 0
    assert "▶ running" in answer.out
    assert "was asked to stop" in answer.out


def test_one_job_that_refuses_does_not_keep_the_others_from_it(windlass: Terminal) -> None:
    waiting = windlass.enqueued("greet")

    answer = windlass("cancel", NOBODY, waiting, "--json")

    assert answer.code == 1
    [refused, cancelled] = answer.json
    assert refused["id"] == NOBODY
    assert "no job" in refused["error"]
    assert cancelled["state"] == "cancelled"


@pytest.mark.parametrize("name", ["job", "retry", "cancel"])
@pytest.mark.parametrize("job_id", [NOBODY, "nonsense"])
def test_an_unknown_id_is_told_in_one_sentence(windlass: Terminal, name: str, job_id: str) -> None:
    answer = windlass(name, job_id)

    assert answer.code == 1
    assert answer.err.startswith(f"error: no job {job_id}")
    assert "try: the newest ones: windlass jobs" in answer.err
    assert "Traceback" not in answer.err


def test_text_from_outside_cannot_command_the_terminal(windlass: Terminal) -> None:
    job_id = windlass.enqueued("greet", '{"user": "[red]\\u001b[2Jada"}')

    shown = windlass("job", job_id).out

    assert "[red]" in shown
    assert "\x1b" not in shown


async def _failed(windlass: Terminal, hand: Hand) -> str:
    """A job whose only attempt failed, after some progress and a line in its log."""
    job_id = windlass.enqueued("sail", "--max-attempts", "1")
    await hand.join("sail")
    claim = await hand.take()
    await hand.store.note(
        [Progress(job=claim.id, fence=claim.fence, fraction=0.5, message="half way")],
        [LogLine(job=claim.id, fence=claim.fence, number=1, level="info", message="set sail")],
    )
    outcome = Failed("RuntimeError: no wind", "a trace")
    now = time.monotonic()
    failed = settle(
        claim, outcome, backoff=DEFAULT_BACKOFF, chance=0.0, started=now - 0.25, ended=now
    )
    assert await hand.store.settle([failed]) == []
    return job_id


def _ids(windlass: Terminal, *words: str) -> list[str]:
    return [job["id"] for job in windlass("jobs", "--json", *words).json]


def test_a_job_for_later_is_run_now(windlass: Terminal) -> None:
    later = windlass.enqueued("greet", "--delay", "1h")

    [answer] = windlass("run", later, "--json").json
    refused = windlass("run", later)

    assert (answer["id"], answer["state"]) == (later, "pending")
    assert refused.code == 1
    assert "due already" in refused.err


async def test_dead_letters_are_shown_in_groups(windlass: Terminal, hand: Hand) -> None:
    await hand.join("greet")
    none = windlass("dead")
    for user in (5, 7):
        windlass.enqueued("greet")
        await hand.end(await hand.take(), Failed(f"no user {user}", final=True))

    told = windlass("dead", "--json").json
    shown = windlass("dead")

    [group] = told["groups"]
    assert none.out == "no job failed for good\n"
    assert (told["total"], group["count"], group["error"]) == (2, 2, "no user 7")
    assert shown.out.splitlines()[1].split()[:2] == ["2", "greet"]
    assert f"windlass bulk retry '{group['q']}'" in shown.err
    assert len(windlass("jobs", group["q"], "--json").json) == 2
