"""Queues, workers, counts and aging."""

import pytest

from tests.app.hand import Hand
from tests.cli.terminal import Terminal
from windlass.core.job import State


def test_queues_lists_what_waits(windlass: Terminal) -> None:
    windlass.enqueued("greet", "--queue", "mail")
    windlass.enqueued("greet", "--queue", "mail")

    listed = windlass("queues", "--json").json
    shown = windlass("queues").out

    assert [(queue["name"], queue["depth"]) for queue in listed] == [("mail", 2)]
    assert shown.splitlines()[1].split() == ["mail", "2", "open"]


def test_no_queues_say_what_to_try(windlass: Terminal) -> None:
    answer = windlass("queues")

    assert answer.out == "no queues\n"
    assert "windlass stats" in answer.err


def test_a_paused_queue_stays_paused_until_it_is_resumed(windlass: Terminal) -> None:
    paused = windlass("pause", "mail", "--json")
    [while_paused] = windlass("queues", "--json").json
    resumed = windlass("resume", "mail", "--json")

    assert paused.json["paused"] is True
    assert while_paused["paused_by"] == paused.json["by"]
    assert while_paused["paused_at"]
    assert resumed.json == {"queue": "mail", "paused": False}
    assert windlass("queues", "--json").json == []


def test_pause_says_how_to_go_on(windlass: Terminal) -> None:
    answer = windlass("pause", "mail")

    assert answer.out == "queue mail is paused\n"
    assert "windlass resume mail" in answer.err


def test_stats_counts_every_state_also_those_without_jobs(windlass: Terminal) -> None:
    windlass.enqueued("greet")
    windlass("cancel", windlass.enqueued("greet"))

    counts = windlass("stats", "--json").json

    assert counts == dict.fromkeys(map(str, State), 0) | {"pending": 1, "cancelled": 1}
    assert len(windlass("stats").out.splitlines()) == 1 + len(State)


def test_without_workers_it_says_how_to_start_one(windlass: Terminal) -> None:
    answer = windlass("workers")

    assert answer.code == 0
    assert answer.out == "no workers\n"
    assert "windlass worker --app" in answer.err


async def test_workers_shows_who_lives_and_what_they_serve(windlass: Terminal, hand: Hand) -> None:
    await hand.join("greet", "walk")

    listed = windlass("workers", "--json").json
    shown = windlass("workers").out

    [node], [worker] = listed["nodes"], listed["workers"]
    assert (node["id"], node["alive"]) == (hand.node, True)
    assert (worker["id"], worker["types"], worker["running"]) == (hand.worker, ["greet", "walk"], 0)
    assert hand.worker in shown
    assert "alive" in shown


async def test_a_worker_drains_until_it_may_go_on(windlass: Terminal, hand: Hand) -> None:
    await hand.join("greet")

    drained = windlass("drain", hand.worker, "--json").json
    shown = windlass("workers").out
    wrong = windlass("incidents", "--json").json
    windlass("drain", "--undo", hand.worker)
    unknown = windlass("drain", hand.node)

    assert (drained["worker"], drained["draining"]) == (hand.worker, True)
    assert "draining" in shown
    assert [one["kind"] for one in wrong] == ["draining"]
    assert wrong[0]["about"] == {"kind": "worker", "name": hand.worker}
    assert "draining" not in windlass("workers").out
    assert (unknown.code, windlass("incidents").out) == (1, "nothing is wrong\n")
    assert "windlass workers" in unknown.err


def test_incidents_say_what_is_wrong(windlass: Terminal) -> None:
    windlass.enqueued("greet")

    assert "no worker is alive, and 1 job waits" in windlass("incidents").out


def test_aging_is_shown_and_changed(windlass: Terminal) -> None:
    windlass.enqueued("greet", "--priority", "5")

    before = windlass("aging", "--json").json
    changed = windlass("aging", "5m")
    after = windlass("aging", "--json").json

    assert before == {"aging": 60.0, "strict": False}
    assert changed.out == "5 min of waiting are worth one point of priority\n"
    assert after == {"aging": 300.0, "strict": False}


def test_strict_aging_lets_priority_alone_decide(windlass: Terminal) -> None:
    answer = windlass("aging", "strict", "--json")

    assert answer.code == 0
    assert answer.json == {"aging": None, "strict": True}


@pytest.mark.parametrize("value", ["often", "5x"])
def test_an_aging_that_is_no_time_is_refused(windlass: Terminal, value: str) -> None:
    answer = windlass("aging", value)

    assert answer.code == 2
    assert f"{value!r} is no duration" in answer.err
    assert windlass("aging", "--json").json["aging"] == 60.0


def test_a_sentence_is_whole_on_a_narrow_terminal(windlass: Terminal) -> None:
    windlass("pause", "mail")

    seen = windlass.on_screen("queues", columns=30, NO_COLOR="1")

    assert "paused" in seen
    assert "…" not in seen
