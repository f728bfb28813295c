"""Real workers, and jobs that somebody waits for."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from tests.cli.terminal import PATIENCE, WINDLASS, Terminal

BASIC = "windlass.wiring.basic:app"
ADA = '{"user": "ada"}'


@pytest.fixture
def worker(windlass: Terminal) -> Iterator[subprocess.Popen[bytes]]:
    """A worker that runs the jobs of the shop."""
    with running(windlass, "--app", "shop:app") as process:
        yield process


@contextmanager
def running(windlass: Terminal, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker while the block runs."""
    process = subprocess.Popen(
        [WINDLASS, "worker", *words], cwd=windlass.folder, env=windlass.env, stderr=subprocess.PIPE
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
            process.wait()


def test_waiting_prints_the_result(windlass: Terminal, worker: subprocess.Popen[bytes]) -> None:
    answer = windlass("enqueue", "greet", ADA, "--app", "shop:app", "--wait")

    assert answer.code == 0
    assert json.loads(answer.out) == "hello ada"


def test_waiting_answers_a_program_with_the_whole_job(
    windlass: Terminal, worker: subprocess.Popen[bytes]
) -> None:
    answer = windlass("enqueue", "walk", "--app", "shop:app", "--wait", "--json")

    assert answer.code == 0
    assert (answer.json["state"], answer.json["result"]) == ("completed", 2)
    dossier = windlass("job", answer.json["id"], "--json").json
    assert [line["message"] for line in dossier["log"]] == ["took step 1", "took step 2"]


def test_a_job_that_fails_is_an_exit_code_and_a_sentence(
    windlass: Terminal, worker: subprocess.Popen[bytes]
) -> None:
    answer = windlass("enqueue", "stumble", '{"over": "[a] stone"}', "--app", "shop:app", "--wait")

    assert answer.code == 1
    assert "failed: RuntimeError: stumbled over [a] stone" in answer.err
    assert "windlass job" in answer.err
    assert answer.out == ""


def test_waiting_ends_with_the_timeout_and_the_job_goes_on(windlass: Terminal) -> None:
    answer = windlass("enqueue", "greet", ADA, "--wait", "--timeout", "50ms")

    assert answer.code == 124
    assert "is still pending after 0.05 s, and goes on" in answer.err
    assert windlass("stats", "--json").json["pending"] == 1


def test_a_worker_ends_well_when_it_is_asked_to(windlass: Terminal) -> None:
    with running(windlass, "--app", "shop:app", "--queues", "slow", "--slots", "7") as process:
        windlass("enqueue", "walk", "--app", "shop:app", "--wait")
        [worker] = windlass("workers", "--json").json["workers"]
        process.send_signal(signal.SIGTERM)

        assert process.wait(timeout=PATIENCE) == 0

    assert (worker["queues"], worker["slots"]) == (["slow", "windlass"], 7)


def test_a_worker_uses_the_store_that_is_named_after_its_first_process_was_started(
    windlass: Terminal,
) -> None:
    url = f"sqlite:///{windlass.folder}/another.db"

    with running(windlass, "--app", "shop:app", "--store", url):
        answer = windlass("enqueue", "greet", ADA, "--app", "shop:app", "--wait", "--store", url)

    assert json.loads(answer.out) == "hello ada"


def test_without_an_app_a_worker_runs_the_built_in_types(windlass: Terminal) -> None:
    with running(windlass):
        answer = windlass(
            "enqueue",
            "add_numbers",
            '{"x": 2, "y": 3}',
            "--app",
            BASIC,
            "--wait",
            "--timeout",
            "20s",
        )

    assert (answer.code, json.loads(answer.out)) == (0, {"sum": 5})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--app", "nowhere:app"], "no module 'nowhere'"),
        (["--app", "shop:app", "--drain", "soon"], "'soon' is no duration"),
        (["--app", "shop:app", "--slots", "0"], "'--slots'"),
    ],
)
def test_a_worker_that_cannot_start_says_why(
    windlass: Terminal, words: list[str], said: str
) -> None:
    answer = windlass("worker", *words)

    assert answer.code == 2
    assert said in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("words", [["--slots", "0"], ["--queues"], ["--app", "nowhere:app"]])
def test_a_worker_that_cannot_start_leaves_no_process_behind(
    windlass: Terminal, words: list[str]
) -> None:
    answer = windlass.cold("worker", *words)

    assert answer.code == 2
    assert processes_in(windlass) == []


def test_help_calls_up_no_process(windlass: Terminal) -> None:
    started = windlass.folder / "started"
    (windlass.folder / "sitecustomize.py").write_text(f"open({str(started)!r}, 'a').write('x')")

    answer = windlass.cold("worker", "--help", PYTHONPATH=str(windlass.folder))

    assert answer.code == 0
    assert started.read_text() == "x"


def processes_in(windlass: Terminal) -> list[psutil.Process]:
    """The processes that were started in this folder."""
    folder = str(windlass.folder)
    return [each for each in psutil.process_iter(["cwd"]) if each.info["cwd"] == folder]
