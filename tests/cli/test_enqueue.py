"""Putting jobs in from the command line."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from tests.cli.terminal import Terminal

ADA = '{"user": "ada"}'


def test_enqueue_answers_with_the_id_alone_so_that_scripts_can_use_it(windlass: Terminal) -> None:
    answer = windlass("enqueue", "greet", ADA, "--app", "shop:app")

    assert answer.code == 0
    job = windlass("job", answer.out.strip(), "--json").json
    assert (job["type"], job["payload"], job["state"]) == ("greet", {"user": "ada"}, "pending")


def test_enqueue_answers_a_program_with_everything_it_knows(windlass: Terminal) -> None:
    answer = windlass("enqueue", "walk", "--app", "shop:app", "--json")

    [job] = windlass("jobs", "--json").json
    assert answer.json == {
        "id": job["id"],
        "state": "pending",
        "existing": False,
        "type": "walk",
        "queue": "slow",
    }


def test_every_option_reaches_the_job(windlass: Terminal) -> None:
    options = (
        "--queue=mail --priority=-7 --delay=5m --key=ada-1 --threads=3 --max-attempts=9"
        " --name=greeting"
    )

    job_id = windlass.enqueued("greet", ADA, *options.split())

    job = windlass("job", job_id, "--json").json
    assert job["queue"] == "mail"
    assert job["priority"] == -7
    assert job["key"] == "ada-1"
    assert job["threads"] == 3
    assert job["max_attempts"] == 9
    assert job["name"] == "greeting"
    assert job["state"] == "scheduled"
    assert _moment(job["run_at"]) - _moment(job["created_at"]) == timedelta(minutes=5)


def test_a_job_can_be_put_in_for_a_moment(windlass: Terminal) -> None:
    job_id = windlass.enqueued("greet", ADA, "--run-at", "2090-01-31T08:00+01:00")

    run_at = windlass("job", job_id, "--json").json["run_at"]
    assert _moment(run_at) == datetime(2090, 1, 31, 7, tzinfo=UTC)


def test_the_payload_may_be_in_a_file_or_a_pipe(windlass: Terminal) -> None:
    (windlass.folder / "ada.json").write_text(ADA)

    from_file = windlass.enqueued("greet", "@ada.json")
    from_pipe = windlass("enqueue", "greet", "-", stdin=ADA).out.strip()

    for job_id in (from_file, from_pipe):
        assert windlass("job", job_id, "--json").json["payload"] == {"user": "ada"}


def test_without_an_app_it_says_that_nothing_was_checked(windlass: Terminal) -> None:
    answer = windlass("enqueue", "unheard-of", ADA)

    assert answer.code == 0
    assert "not checked whether a handler knows unheard-of" in answer.err


def test_the_app_may_be_named_in_the_environment(windlass: Terminal) -> None:
    answer = windlass("enqueue", "greet", '{"usr": "ada"}', WINDLASS_APP="shop:app")

    assert answer.code == 2
    assert "does not fit job type 'greet'" in answer.err


def test_an_app_that_names_its_own_store_keeps_it_and_that_is_said(windlass: Terminal) -> None:
    shop = (windlass.folder / "shop.py").read_text()
    own = shop.replace("Windlass()", "Windlass('sqlite:///own.db')")
    (windlass.folder / "own.py").write_text(own)

    answer = windlass("enqueue", "greet", ADA, "--app", "own:app", "--store", "sqlite:///other.db")

    assert answer.code == 0
    assert "own:app names a store of its own" in answer.err
    assert windlass("stats", "--json", "--store", "sqlite:///own.db").json["pending"] == 1


def test_the_same_key_makes_no_second_job(windlass: Terminal) -> None:
    first = windlass.enqueued("greet", ADA, "--key", "once")

    again = windlass("enqueue", "greet", ADA, "--key", "once")

    assert again.out.strip() == first
    assert "key once has this job already" in again.err
    assert len(windlass("jobs", "--json").json) == 1


def test_a_key_whose_job_is_no_longer_kept_leads_nobody_to_it(windlass: Terminal) -> None:
    first = windlass.enqueued("greet", ADA, "--key", "once")
    with closing(sqlite3.connect(windlass.folder / "windlass.db")) as connection, connection:
        connection.execute("delete from windlass_jobs")

    again = windlass("enqueue", "greet", ADA, "--key", "once")

    assert again.out.strip() == first
    assert "key once has made this job, which is over and no longer kept" in again.err
    assert "windlass job" not in again.err


def test_a_key_of_another_request_is_refused_and_its_job_named(windlass: Terminal) -> None:
    first = windlass.enqueued("greet", ADA, "--key", "once")

    other = windlass("enqueue", "greet", '{"user": "eve"}', "--key", "once")

    assert other.code == 1
    assert f"windlass job {first}" in other.err


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        ('{"user": ada}', "at line 1, column 10: {"),
        ('{\n  "user": "ada",\n}', "at line 3, column 1"),
        ("", "at line 1, column 1"),
        ("[NaN]", "NaN, which JSON has not"),
        ("@nowhere.json", "cannot read the payload from nowhere.json: No such file"),
        ("[" * 100_000, "nests too deep"),
        ("9" * 5_000, "more digits than anybody could read"),
    ],
)
def test_a_payload_that_is_no_json_is_refused_where_it_goes_wrong(
    windlass: Terminal, payload: str, said: str
) -> None:
    answer = windlass("enqueue", "greet", payload)

    assert answer.code == 2
    assert said in answer.err
    assert "Traceback" not in answer.err
    assert windlass.untouched


def test_a_pipe_that_is_no_text_is_refused(windlass: Terminal) -> None:
    answer = windlass("enqueue", "greet", "-", stdin=b'{"user": "\xff"}')

    assert answer.code == 2
    assert "stdin is no UTF-8: byte 10" in answer.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["greet", '{"usr": "ada"}', "--app", "shop:app"], "does not fit job type 'greet'"),
        (["great", "{}", "--app", "shop:app"], "known types: greet, stumble, walk"),
        (["greet", "{}", "--app", "nowhere:app"], "no module 'nowhere'"),
        (["greet", "{}", "--app", "shop"], "write it as module:name"),
        (["greet", "{}", "--delay", "soon"], "'soon' is no duration"),
        (["greet", "{}", "--delay", "-5s"], "'-5s' is no duration"),
        (["greet", "{}", "--run-at", "tomorrow"], "'tomorrow' is no time"),
        (["greet", "{}", "--run-at", "2090-01-31T08:00"], "is no time; write it like"),
        (["greet", "{}", "--priority", "101"], "from -100 to 100, not 101"),
        (["greet", "{}", "--threads", "0"], "from 1 to 256, not 0"),
        (["greet", "{}", "--max-attempts", "0"], "from 1 to 1000, not 0"),
        (["greet", "{}", "--queue", "*"], "queue's name may not be '*'"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_and_changes_nothing(
    windlass: Terminal, words: list[str], said: str
) -> None:
    answer = windlass("enqueue", *words)

    assert answer.code == 2
    assert said in " ".join(answer.err.replace("│", " ").split())
    assert "Traceback" not in answer.err
    assert windlass.untouched


def test_a_payload_over_the_limit_is_refused_with_its_size(windlass: Terminal) -> None:
    answer = windlass("enqueue", "greet", "-", stdin=json.dumps({"user": "a" * 2**20}))

    assert answer.code == 2
    assert "over the limit of 1,048,576" in answer.err


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
