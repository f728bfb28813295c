"""A ring that goes out with the commit of the jobs it tells of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Herald:
    """What to say, and where; `sent` once a commit has taken it along."""

    channel: str
    words: str
    sent: bool = False
