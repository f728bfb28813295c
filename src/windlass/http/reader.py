"""One who listens, and the news that it has not taken yet."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from windlass.core.job import JobId
from windlass.http.bulletin import Topic

SIGN_OF_LIFE = b": still here\n\n"


class Reader:
    """Keeps the latest news of each subject until it is taken: never more than it has subjects."""

    def __init__(self, jobs: Collection[JobId], topics: Collection[Topic]) -> None:
        """Watch these jobs and topics; nothing is told yet."""
        self.jobs = jobs
        self.topics = topics
        self._left: dict[str, bytes] = {}
        self._news = asyncio.Event()
        self._ended = False

    def tell(self, subject: str, news: bytes) -> None:
        """Add news; what was left lying of the same subject is no news any more."""
        self._left.pop(subject, None)
        self._left[subject] = news
        self._news.set()

    def end(self) -> None:
        """Tell nothing more than what was told."""
        self._ended = True
        self._news.set()

    async def take(self, within: float) -> bytes:
        """All news; without any in `within` seconds a sign of life, and nothing at the end."""
        try:
            async with asyncio.timeout(within):
                await self._news.wait()
        except TimeoutError:
            return SIGN_OF_LIFE
        news = b"".join(self._left.values())
        self._left.clear()
        if not self._ended:
            self._news.clear()
        return news
