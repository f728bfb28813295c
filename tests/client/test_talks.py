"""What is said to a service, and when it is said again: decided without any."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar

import msgspec
import pytest

from windlass.client import talks
from windlass.client.asking import new_job
from windlass.client.errors import BadAnswer, NoAnswer, NotFinished, NotNow, NotThere, Refused
from windlass.client.exchange import Answer, Ask, Heard, Silence, Talk
from windlass.client.line import Line
from windlass.client.patience import Patience
from windlass.client.watch import MOST_FAILURES, Watch
from windlass.core.backoff import Backoff
from windlass.wire.jobs import Job

T = TypeVar("T")

KEPT = Answer(202, {}, b'{"id": "1", "status": "pending"}')
BUSY = b'{"type": "urn:windlass:problem:busy", "title": "", "status": 503, "detail": "not now"}'
AWAY = Answer(503, {"retry-after": "3"}, BUSY)
LOST = Silence("the connection broke", heard=True)
UNSENT = Silence("nobody listens", heard=False)
ADD = {"x": 1, "y": 2}


class OwnTime:
    """Time that passes only while somebody waits, and no chance at all."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def monotonic(self) -> float:
        """Seconds."""
        return self.seconds

    def now_us(self) -> int:
        """Microseconds."""
        return round(self.seconds * 1e6)


def line(time: OwnTime | None = None) -> Line:
    """A line on which nothing is left to chance but a little of each pause."""
    return Line(patience=Patience(backoff=Backoff(base=0.2, jitter=0)), clock=time or OwnTime())


def held(talk: Talk[T], heard: Sequence[Heard], time: OwnTime | None = None) -> tuple[T, list[Ask]]:
    """What the talk comes to if this is heard, and what it asked."""
    asked = [next(talk)]
    for one in heard:
        if time is not None:
            time.seconds += asked[-1].after
        try:
            asked.append(talk.send(one))
        except StopIteration as end:
            return end.value, asked
    raise AssertionError(f"it asked once more: {asked[-1]}")


def a_job(status: str) -> Answer:
    """A job as a service tells of it."""
    job: dict[str, object] = dict.fromkeys(Job.__struct_fields__)
    job |= dict.fromkeys(["attempts", "priority", "thread_demand", "failures", "crashes"], 0)
    job |= dict.fromkeys(["max_attempts", "max_crashes"], 3)
    job |= dict.fromkeys(
        ["scheduled_at", "created_at", "updated_at"], datetime(2026, 1, 1, tzinfo=UTC)
    )
    job |= {"id": "1", "type": "t", "queue": "q", "status": status, "cancel_requested": False}
    return Answer(200, {}, msgspec.json.encode(job))


@pytest.mark.parametrize("trouble", [LOST, AWAY, Answer(502, {}, b"<html>Bad Gateway")])
def test_a_read_is_sent_again_until_somebody_answers(trouble: Heard) -> None:
    counts, asked = held(talks.stats(line()), [trouble, trouble, Answer(200, {}, b'{"failed": 1}')])

    assert counts == {"failed": 1}
    assert [one.request.path for one in asked] == ["/stats"] * 3


def test_a_submit_with_a_key_is_sent_again_as_it_was() -> None:
    accepted, [first, second] = held(
        talks.submit(line(), "add", ADD, idempotency_key="k"), [LOST, KEPT]
    )

    assert accepted.id == "1"
    assert first.request == second.request
    assert first.request.body == b'{"idempotency_key":"k","type":"add","payload":{"x":1,"y":2}}'


def test_a_submit_without_a_key_is_not_sent_again_if_it_may_have_been_heard() -> None:
    with pytest.raises(NoAnswer, match="it may have been carried out all the same") as lost:
        held(talks.submit(line(), "add", ADD), [LOST])
    with pytest.raises(NotNow, match="not now"):
        held(talks.submit(line(), "add", ADD), [AWAY])

    assert lost.value.heard


def test_what_nobody_heard_or_began_is_sent_again_whatever_it_is() -> None:
    too_often = Answer(429, {"retry-after": "1"}, b"")

    accepted, asked = held(talks.submit(line(), "add", ADD), [UNSENT, too_often, KEPT])

    assert accepted.status == "pending"
    assert len(asked) == 3


def test_a_batch_is_sent_again_only_if_each_job_has_a_key() -> None:
    jobs = [new_job("add", ADD, idempotency_key="a"), new_job("add", ADD)]

    with pytest.raises(NoAnswer):
        held(talks.submit_many(line(), jobs), [LOST])
    _, asked = held(
        talks.submit_many(line(), jobs[:1]),
        [LOST, Answer(202, {}, b'{"accepted": 1, "refused": 0, "jobs": []}')],
    )

    assert len(asked) == 2


def test_pauses_grow_and_are_as_long_as_the_service_asks() -> None:
    talk = talks.stats(line())

    with pytest.raises(NotNow):
        held(talk, [LOST, LOST, AWAY, AWAY])
    _, asked = held(talks.stats(line()), [LOST, LOST, AWAY, Answer(200, {}, b"{}")])

    assert [round(one.after, 3) for one in asked] == [0.0, 0.2, 0.4, 3.0]


def test_who_is_told_to_come_back_in_an_hour_is_told_so() -> None:
    with pytest.raises(NotNow):
        held(talks.stats(line()), [Answer(503, {"retry-after": "3600"}, BUSY)])


def test_waiting_asks_ever_less_often_and_ends_in_time() -> None:
    time = OwnTime()

    with pytest.raises(NotFinished, match="is still running after 5 s"):
        held(talks.wait(line(time), "1", 5), [a_job("running")] * 99, time)
    job, asked = held(
        talks.wait(line(time), "1", None), [a_job("running")] * 20 + [a_job("failed")], time
    )

    assert time.seconds > 105
    assert job.status == "failed"
    assert asked[0].after == 0
    assert asked[1].after < 0.03
    assert 1 <= asked[-1].after <= 1.1


def test_waiting_goes_on_while_a_service_that_answered_is_away() -> None:
    time = OwnTime()

    with pytest.raises(NoAnswer):
        held(talks.wait(line(time), "1", 60), [UNSENT] * 99, time)
    job, _ = held(
        talks.wait(line(time), "1", 60),
        [a_job("running"), *[UNSENT] * 10, a_job("completed")],
        time,
    )

    assert job.status == "completed"


def test_what_somebody_else_answers_is_quoted() -> None:
    with pytest.raises(Refused, match="status 418, not in the words of Windlass: I am a teapot"):
        held(talks.stats(line()), [Answer(418, {}, b"I am\n a teapot")])
    with pytest.raises(BadAnswer, match="it leads elsewhere, to /login"):
        held(talks.stats(line()), [Answer(302, {"location": "/login"}, b"")])
    with pytest.raises(BadAnswer):
        held(talks.stats(line()), [Answer(200, {}, b"<html>Welcome")])


def test_paths_are_quoted() -> None:
    _, [asked, *_] = held(talks.kept(line(), "a/b", "ü?.txt"), [Answer(200, {}, b"")])

    assert asked.request.path == "/jobs/a%2Fb/files/%C3%BC%3F.txt"


def test_a_watch_tells_only_news_and_ends_with_the_last_job() -> None:
    watch = Watch(line(), ["1"])
    running, done = a_job("running").body.decode(), a_job("completed").body.decode()

    news = [held_at_once(watch.heed("job", each)) for each in (running, running, done)]

    assert [job and job.status for job in news] == ["running", None, "completed"]
    assert watch.is_over()


def test_a_watch_reads_what_is_too_large_for_an_event() -> None:
    watch = Watch(line(), ["1"])

    job, _ = held(watch.heed("changed", '{"id": "1"}'), [a_job("completed")])

    assert job is not None
    assert watch.is_over()


def test_a_watch_of_a_job_that_is_gone_says_so() -> None:
    unknown = b'{"type": "x", "title": "", "status": 404, "detail": "no job 1"}'

    with pytest.raises(NotThere, match="no job 1"):
        held(Watch(line(), ["1"]).heed("gone", '{"id": "1"}'), [Answer(404, {}, unknown)])


def test_a_watch_comes_back_for_a_while_and_then_gives_up() -> None:
    watch = Watch(line(), ["1"])

    for _ in range(MOST_FAILURES):
        watch.hear(UNSENT)
        assert watch.pause() > 0
    watch.hear(UNSENT)
    with pytest.raises(NoAnswer, match="nobody listens"):
        watch.pause()


def test_a_watch_that_is_refused_does_not_come_back() -> None:
    watch = Watch(line(), ["1"])

    watch.hear(Answer(400, {}, b'{"type": "x", "title": "", "status": 400, "detail": "too many"}'))

    with pytest.raises(Refused, match="too many"):
        watch.pause()


def held_at_once(talk: Talk[T]) -> T:
    """What a talk comes to that asks nothing."""
    with pytest.raises(StopIteration) as end:
        next(talk)
    value: T = end.value.value
    return value
