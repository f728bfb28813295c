"""Jobs that are watched until they are over, by the events that a service sends."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from uuid import UUID

import msgspec

from windlass.client import asking, reading, talks
from windlass.client.errors import BadAnswer, NoAnswer
from windlass.client.exchange import Answer, Heard, Request, Silence, Talk
from windlass.client.line import Line
from windlass.core.backoff import Backoff
from windlass.core.errors import WindlassError
from windlass.wire.jobs import Job

# While nothing happens the service gives a sign of life every 15 s; without two of them it is away.
SIGN_OF_LIFE = 35.0
ENDED = Silence("the stream of events ended", heard=True)
# A service that restarts is back within seconds; one that is gone is told of after about a minute.
RETURNING = Backoff(base=0.2, cap=10.0, jitter=0.5)
MOST_FAILURES = 12


class Watch:
    """What is yet to be told of the jobs, and what each event says of them."""

    def __init__(self, line: Line, job_ids: Iterable[str]) -> None:
        """Watch these jobs."""
        self._line = line
        self._left = dict.fromkeys(map(_written, job_ids))
        self._told: dict[str, Job] = {}
        self._failures = 0
        self._why: Heard = ENDED

    def is_over(self) -> bool:
        """Whether each of the jobs is finished."""
        return not self._left

    def request(self) -> Request:
        """Asks for the events of the jobs that are not over."""
        return asking.get("events", query={"topics": "", "jobs": ",".join(self._left)})

    def heed(self, event: str, document: str) -> Talk[Job | None]:
        """The job that the event tells of, if that is news."""
        self._failures = 0
        if event == "job":
            return self._news(reading.value(Answer(HTTPStatus.OK, {}, document.encode()), Job))
        if event in ("changed", "gone"):
            # Too large to be sent along, or not there: whoever asks for it is told.
            return self._news((yield from talks.get(self._line, _id(document))))
        return None

    def hear(self, why: Heard) -> None:
        """Take note of why the stream ended, or did not begin."""
        self._why = why

    def pause(self) -> float:
        """Seconds until the events are asked for again; raises if that is of no use."""
        why, self._why = self._why, ENDED
        self._failures += 1
        if _is_refused(why) or self._failures > MOST_FAILURES:
            raise _trouble(why)
        return RETURNING.delay(self._failures, chance=self._line.chance.random())

    def _news(self, job: Job) -> Job | None:
        if self._told.get(job.id) == job or job.id not in self._left:
            return None
        self._told[job.id] = job
        if job.status.finished:
            del self._left[job.id], self._told[job.id]
        return job


def _written(job_id: str) -> str:
    """The id as the service writes it; what is none is refused by the service."""
    try:
        return str(UUID(job_id))
    except ValueError:
        return job_id


def _is_refused(why: Heard) -> bool:
    return isinstance(why, Answer) and why.status != HTTPStatus.SERVICE_UNAVAILABLE


def _trouble(why: Heard) -> WindlassError:
    match why:
        case Answer():
            return reading.refusal(why)
        case Silence():
            return NoAnswer(why.why, heard=False)


def _id(document: str) -> str:
    try:
        return str(msgspec.json.decode(document)["id"])
    except (msgspec.DecodeError, TypeError, KeyError) as problem:
        raise BadAnswer(f"an event without an id: {document[:200]}") from problem
