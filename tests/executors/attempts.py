"""Attempts for executors to run in: a context whose desk the test holds."""

from collections.abc import Callable, Sequence
from typing import Any

from tests.core.makers import CLAIM
from windlass.core.job import JobId
from windlass.executors.context import Context, Transaction

JOB = JobId("01936e5c-7d8e-7000-8000-0123456789ab")


class Desk:
    """Takes note of what an attempt says."""

    def __init__(self) -> None:
        self.stop = False
        self.lines: list[str] = []
        self.files: dict[str, tuple[str, bytes]] = {}
        self.shared: tuple[int, int] | None = None

    def cancelled(self) -> bool:
        """Whether the attempt is to stop."""
        return self.stop

    def progress(self, fraction: float, message: str | None) -> None:
        """Take note of nothing."""

    def log(self, level: str, message: str) -> None:
        """Take a log line."""
        self.lines.append(f"{level}: {message}")

    def keep(self, name: str, media_type: str, content: bytes) -> None:
        """Keep a file."""
        self.files[name] = (media_type, content)

    def share(self, work: Callable[[Any], Any], chunks: Sequence[Any], at_once: int) -> list[Any]:
        """Work on one chunk after the other."""
        self.shared = (len(chunks), at_once)
        return [work(chunk) for chunk in chunks]

    def transaction(self, result: Callable[[], Any]) -> Transaction:
        """There is no store here."""
        raise NotImplementedError


def context(desk: Desk | None = None, job: JobId = JOB, threads: int = 1) -> Context:
    """The context of a first attempt."""
    claim = CLAIM._replace(id=job, fence=1, type="test")
    return Context(claim, desk or Desk(), threads)
