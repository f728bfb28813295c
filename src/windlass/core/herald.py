"""A ring that goes out with the commit of the job it tells of."""

from __future__ import annotations

from msgspec import Struct

# Begins the news for a worker that was handed a job; no queue's name begins with "@".
HANDED = "@handed"


class Herald(Struct):
    """What to say to all, and on which channel; `sent` once a commit has taken it along.

    Without a channel the commit tells nobody. Whoever has a herald may also hand the job to a
    worker that stands by: then that one is told instead of all, by the commit or, if it cannot, by
    a ring with the `news` that are left here.
    """

    words: str = ""
    channel: str | None = None
    sent: bool = False
    news: str | None = None
