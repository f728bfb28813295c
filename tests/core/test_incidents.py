"""What is wrong is said in sentences, the worst first, and nothing is said twice."""

from datetime import UTC, datetime, timedelta
from typing import Any

from windlass.core.incidents import About, Hand, Incident, Scene, Severity, Switch, Waiting
from windlass.core.incidents import incidents as found_in

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def hand(**given: Any) -> Hand:
    """A worker that is well."""
    usual = {
        "id": "0123456789abcdef",
        "host": "red",
        "pid": 7,
        "queues": None,
        "types": ["email"],
        "slots": 10,
        "running": 0,
        "alive": True,
        "renewed_at": NOW - timedelta(seconds=1),
        "lease_until": NOW + timedelta(seconds=14),
    }
    return Hand(**{**usual, **given})


def lost(ago: timedelta, **given: Any) -> Hand:
    return hand(
        alive=False,
        renewed_at=NOW - ago,
        lease_until=NOW - ago + timedelta(seconds=15),
        **given,
    )


def mail(jobs: int = 3, ago: timedelta = MINUTE, **given: Any) -> Waiting:
    return Waiting(given.get("queue", "mail"), given.get("type", "email"), jobs, NOW - ago)


def only(**scene: Any) -> Incident:
    [incident] = found_in(Scene(now=NOW, **scene))
    return incident


def test_nothing_is_wrong_while_jobs_wait_a_moment_for_who_has_room() -> None:
    assert found_in(Scene(now=NOW, waiting=[mail()], workers=[hand()])) == []


def test_nobody_works() -> None:
    incident = only(waiting=[mail(), mail(4, 3 * MINUTE, queue="web")])

    assert incident == Incident(
        kind="no-worker",
        severity=Severity.CRITICAL,
        sentence="no worker is alive, and 7 jobs wait for 3 min",
        about=About("fleet", ""),
        since=NOW - 3 * MINUTE,
    )


def test_everybody_drains() -> None:
    drained = hand(drain_at=NOW - MINUTE, drain_by="ann", running=2)

    first, second = found_in(Scene(now=NOW, waiting=[mail(1, 5 * MINUTE)], workers=[drained]))

    assert first.sentence == "every live worker is draining, and 1 job waits for 1 min"
    assert second.sentence == (
        "worker 01234567 (process 7 on red) is draining, told so by ann: 2 left"
    )


def test_a_queue_has_no_worker_since_the_last_one_was_lost() -> None:
    gone = lost(4 * MINUTE, queues=["mail"])

    first, second = found_in(
        Scene(now=NOW, waiting=[mail(2, 60 * MINUTE)], workers=[hand(queues=["web"]), gone])
    )

    assert first.kind == "no-queue-worker"
    assert first.sentence == "queue mail has had no worker for 3 min 45 s, and 2 jobs wait there"
    assert first.about == About("queue", "mail")
    assert second.kind == "worker-lost"


def test_a_type_that_nobody_knows() -> None:
    incident = only(waiting=[mail(type="fax")], workers=[hand()])

    assert incident.kind == "no-type-worker"
    assert incident.about == About("type", "fax")
    assert incident.sentence == (
        "no live worker of queue mail knows type fax, and 3 jobs wait for 1 min"
    )


def test_a_paused_queue_is_named_once_and_only_if_jobs_wait_there() -> None:
    switches = [Switch("mail", NOW - 2 * MINUTE, "ann"), Switch("empty", NOW, "ann")]

    incident = only(waiting=[mail(1, 30 * MINUTE)], switches=switches, workers=[hand()])

    assert incident.severity is Severity.WARNING
    assert incident.sentence == "queue mail was paused 2 min ago by ann, and 1 job waits there"
    assert incident.since == NOW - 2 * MINUTE


def test_a_job_that_waits_for_long_though_somebody_serves_its_queue() -> None:
    incident = only(waiting=[mail(1, 25 * MINUTE)], workers=[hand()])

    assert incident.kind == "old"
    assert incident.sentence == "the job that stands first in queue mail has waited for 25 min"


def test_every_slot_is_busy() -> None:
    incident = only(waiting=[mail(1200)], workers=[hand(running=10), hand(running=11)])

    assert (incident.kind, incident.severity) == ("busy", Severity.INFO)
    assert incident.sentence == "all 20 slots are busy, and 1,200 jobs wait"


def test_a_worker_that_is_late() -> None:
    late = hand(renewed_at=NOW - timedelta(seconds=9), lease_until=NOW + timedelta(seconds=6))

    assert only(workers=[late]).sentence == (
        "worker 01234567 (process 7 on red) has not been heard of for 9 s"
    )


def test_a_worker_that_is_lost_matters_by_what_it_holds_and_is_news_for_a_while() -> None:
    holding = only(workers=[lost(MINUTE, running=3)])
    empty = only(workers=[lost(MINUTE)])

    assert (holding.severity, empty.severity) == (Severity.CRITICAL, Severity.INFO)
    assert "holds 3 running" in holding.sentence
    assert "1 min ago" in empty.sentence
    assert found_in(Scene(now=NOW, workers=[lost(11 * MINUTE)])) == []


def test_dead_letters_that_grow_fast() -> None:
    incident = only(dead=40, ended=100)

    assert incident.sentence == "40 jobs failed for good in the last 5 min, 40% of those that ended"
    assert incident.about.kind == "dead"
    assert found_in(Scene(now=NOW, dead=9, ended=9)) == []
    assert found_in(Scene(now=NOW, dead=40, ended=1000)) == []


def test_redis_is_away() -> None:
    incident = only(redis_lost_at=NOW - MINUTE)

    assert incident.sentence == (
        "Redis has not answered for 1 min; everything goes on without it, only slower"
    )


def test_bulk_actions_wait_for_any_worker() -> None:
    waiting = [mail(queue="windlass", type="windlass.bulk")]
    worker = hand(queues=["mail"], types=["email", "windlass.bulk"])

    assert found_in(Scene(now=NOW, waiting=waiting, workers=[worker])) == []


def test_the_worst_comes_first_and_what_has_lasted_longest() -> None:
    scene = Scene(
        now=NOW,
        waiting=[mail(queue="a", type="fax"), mail(ago=2 * MINUTE, queue="b", type="fax")],
        workers=[hand(drain_at=NOW, drain_by="ann"), hand()],
        redis_lost_at=NOW,
    )

    kinds = [(one.kind, one.about.name) for one in found_in(scene)]

    assert kinds[0] == ("no-type-worker", "fax")
    assert [kind for kind, _ in kinds] == [
        "no-type-worker",
        "no-type-worker",
        "redis-away",
        "draining",
    ]
