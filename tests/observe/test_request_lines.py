"""Requests are lines like any other, but written many at a time."""

import asyncio
import io
import json
from typing import Any

from tests.waiting import until
from windlass.clock import SystemClock
from windlass.observe.events import Advised, RequestServed
from windlass.observe.logs import Logs

SERVED = RequestServed("r1", "POST", "/jobs", 202, 0.0012345678, 49, "ada", "127.0.0.1")


class Clock(SystemClock):
    """A clock that tests own."""

    def now_us(self) -> int:
        """Always the same moment."""
        return 1_700_000_000_123_456


class Stream(io.StringIO):
    """A stream that counts how often it is written to."""

    writes = 0

    def write(self, text: str) -> int:
        """Count."""
        self.writes += 1
        return super().write(text)

    def lines(self) -> list[dict[str, Any]]:
        """What was written."""
        return [json.loads(line) for line in self.getvalue().splitlines()]


def test_a_request_is_told_like_everything_else() -> None:
    stream = Stream()

    Logs(stream, Clock()).on(SERVED)

    assert stream.lines() == [
        {
            "time": "2023-11-14T22:13:20.123Z",
            "level": "INFO",
            "msg": "request served",
            "method": "POST",
            "path": "/jobs",
            "status": 202,
            "took": 0.001235,
            "sent": 49,
            "principal": "ada",
            "client": "127.0.0.1",
            "request_id": "r1",
        }
    ]


async def test_many_requests_are_written_at_once_and_soon() -> None:
    stream = Stream()
    logs = Logs(stream, Clock())

    for _ in range(100):
        logs.on(SERVED)
    await until(lambda: stream.writes)

    assert (stream.writes, len(stream.lines())) == (1, 100)


async def test_what_happened_first_is_told_first() -> None:
    stream = Stream()
    logs = Logs(stream, Clock())

    logs.on(SERVED)
    logs.on(Advised("do"))
    await asyncio.sleep(0)

    assert [line["msg"] for line in stream.lines()] == ["request served", "advice"]


def test_requests_are_left_out_where_only_trouble_is_told() -> None:
    stream = Stream()

    Logs(stream, Clock(), level="warning").on(SERVED)

    assert stream.getvalue() == ""


def test_nobody_who_reads_is_no_reason_to_stop() -> None:
    stream = Stream()
    logs = Logs(stream, Clock())
    stream.close()

    logs.on(SERVED)
