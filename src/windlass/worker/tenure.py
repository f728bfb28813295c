"""How well a node has held its lease so far, by its own clock and by the database's."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

# A clock that was set, not one that drifts.
CLOCK_JUMP = 1.0
# What is left of the lease when its holder stops trusting it: time to end what it started.
TRUSTED_SHARE = 0.8


class LeaseTerms(Struct, frozen=True, kw_only=True):
    """How long a lease lasts and how often it is renewed, in seconds."""

    ttl: float = 15.0
    # A fifth of the lease: four renewals may fail before it is lost.
    every: float = 3.0


class _Renewal(NamedTuple):
    sent: float
    offset: float  # the database's clock minus ours
    since: float  # when the first of this unbroken series was sent


class Tenure:
    """Follows the renewals of one node. One may write while others read: each fact is one value."""

    def __init__(self, terms: LeaseTerms) -> None:
        """Begin without a lease."""
        self._terms = terms
        self._last: _Renewal | None = None
        self._broken = True

    def renewed(self, sent: float, answered: float, now_us: int) -> float:
        """Take note of a good renewal; answer with the instant until which the lease is trusted.

        The instant counts from before the renewal was sent: the database cannot have granted less.
        """
        offset = now_us / 1e6 - (sent + answered) / 2
        broken = self._broken or self._interrupted(sent, offset, answered - sent)
        since = sent if broken or self._last is None else self._last.since
        self._last, self._broken = _Renewal(sent, offset, since), False
        return sent + self._terms.ttl * TRUSTED_SHARE

    def failed(self) -> None:
        """Take note of a renewal that failed."""
        self._broken = True

    def unbroken(self, now: float) -> bool:
        """Whether a lease of somebody else that ran out proves something.

        After an outage everyone's lease has run out and nobody is dead. So only a node may judge
        whose own renewals all came in time for as long as a lease lasts.
        """
        last = self._last
        if last is None or self._broken:
            return False
        return now - last.since >= self._terms.ttl and now - last.sent <= 2 * self._terms.every

    def agrees(self, now: float, now_us: int) -> bool:
        """Whether the database's clock, read just now, has not been set since the last renewal."""
        last = self._last
        return last is not None and abs(now_us / 1e6 - now - last.offset) <= CLOCK_JUMP

    def _interrupted(self, sent: float, offset: float, took: float) -> bool:
        last = self._last
        if last is None:
            return True
        jumped = abs(offset - last.offset) > CLOCK_JUMP + took / 2
        return jumped or sent - last.sent > 2 * self._terms.every
