"""The program of a side: how it enqueues what it is asked for."""

import asyncio
import json
from collections.abc import Iterable

import pytest

from benchmarks.peers import side
from benchmarks.peers.side import Side, at_once, main, payload

Sent = list[tuple[str, list[int]]]


@pytest.fixture
def sent() -> Sent:
    return []


@pytest.fixture
def plain(sent: Sent) -> Side:
    """A side that takes jobs one by one, without a loop."""

    def enqueue(kind: str, numbers: Iterable[int]) -> None:
        sent.append((kind, list(numbers)))

    return Side(prepare=lambda: None, enqueue=enqueue)


@pytest.fixture
def bulky(sent: Sent) -> Side:
    """A side of coroutines that takes many at once."""

    async def enqueue(kind: str, numbers: Iterable[int]) -> None:
        await asyncio.sleep(0)
        sent.append((kind, list(numbers)))

    return Side(prepare=lambda: None, enqueue=enqueue, enqueue_many=enqueue, sync=True)


def answer(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    return dict(json.loads(capsys.readouterr().out))


def test_a_side_says_what_it_can_do(
    plain: Side, bulky: Side, capsys: pytest.CaptureFixture[str]
) -> None:
    main(plain, "prepare")
    assert answer(capsys) == {"bulk": "none", "sync": False, "effects": False}

    main(bulky, "prepare")
    assert answer(capsys) == {"bulk": "many", "sync": True, "effects": False}


def test_enqueueing_is_timed_after_a_warm_up(
    plain: Side, sent: Sent, capsys: pytest.CaptureFixture[str]
) -> None:
    main(plain, "enqueue", "noop", "150")

    assert answer(capsys)["jobs"] == 150
    assert all(number < 0 for number in sent[0][1])
    assert [len(numbers) for _, numbers in sent[1:]] == [100, 50]


def test_enqueueing_ends_when_its_time_is_over(
    bulky: Side, sent: Sent, capsys: pytest.CaptureFixture[str]
) -> None:
    main(bulky, "enqueue_many", "noop", "1000000", "0")

    assert answer(capsys)["jobs"] == 1_000
    assert len(sent) == 2


def test_a_side_without_a_bulk_call_says_so(plain: Side) -> None:
    with pytest.raises(SystemExit, match="one by one only"):
        main(plain, "enqueue_many", "noop", "10")


def test_every_fifth_job_stumbles_and_none_is_left_out(bulky: Side, sent: Sent) -> None:
    main(bulky, "fill", "fifth", "1500")

    stumbling = [number for kind, numbers in sent if kind == "stumble" for number in numbers]
    assert stumbling == list(range(0, 1_500, 5))
    assert sorted(number for _, numbers in sent for number in numbers) == list(range(1_500))


def test_a_pick_up_sends_jobs_one_by_one(
    plain: Side, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side, "APART", 0.0)
    monkeypatch.setattr(side, "IDLE", 0.0)

    main(plain, "pickup", "3")

    assert sent[-3:] == [("noop", [0]), ("noop", [1]), ("noop", [2])]


def test_naps_differ_around_what_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIDE_NAP", "3")

    assert [payload("nap", number)["seconds"] for number in range(6)] == [1, 2, 3, 4, 5, 1]
    assert set(payload("noop", 0)) == {"i", "t"}


async def test_at_once_sends_every_job_once() -> None:
    seen: list[int] = []

    async def send(number: int) -> None:
        await asyncio.sleep(0)
        seen.append(number)

    await at_once(send, range(250))

    assert sorted(seen) == list(range(250))
