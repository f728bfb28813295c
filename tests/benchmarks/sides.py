"""Sides and samples for tests of the comparison."""

from typing import Any

from msgspec.structs import replace

from benchmarks.peers.header import SIDES, Header, read
from benchmarks.peers.measure import Sample
from benchmarks.peers.measures import MEASURES
from benchmarks.peers.outcome import Outcome

OURS = read(SIDES / "windlass_sqlite.py")
PEER = replace(OURS, side="peer", name="Peer", store="redis", durable=False)


def outcome(*headers: Header, **figures: dict[str, Any]) -> Outcome:
    """What a run came to: for each figure the value, or the note, of each side."""
    made = Outcome(headers, list(MEASURES.values()))
    for figure, values in figures.items():
        for header in headers:
            if header.side in values:
                made.add(header, sample(figure, values[header.side]))
    return made


def sample(figure: str, value: float | str) -> Sample:
    return Sample(figure, None, value) if isinstance(value, str) else Sample(figure, value)
