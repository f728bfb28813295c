"""Tries the first chunks of many right here, to tell whether the rest is worth sending away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from windlass.clock import Clock
from windlass.core.errors import ClaimLost
from windlass.worker.helper_wire import opened, packed, packed_result

# A first chunk that is such a part of what each helper has to do may as well be worked on alone.
SMALL = 100
# Seconds until helpers have their first chunks: two that were there already, and two that had to be
# started and to import the work, both measured on two cores.
ROUND = 0.001
START = 0.1
# How much longer the way is through a socket, into another process and its colder caches.
SOCKET = 1.5
# Seconds that a function may take longer when it is called for the first time.
WARMING = 0.0001


class Cost(NamedTuple):
    """Seconds for one item: to work on it, and to send it away and its result back."""

    work: float
    way: float


def worth_trying(chunks: Sequence[Any], at_once: int) -> bool:
    """Whether the first chunk is so small a part that it can be worked on before the others."""
    return 0 < len(chunks[0]) * at_once * SMALL <= sum(map(len, chunks))


def worth_helpers(cost: Cost, items: int, at_once: int, *, ready: bool) -> bool:
    """Whether so many helpers would be done sooner than one alone, who sends nothing."""
    alone = cost.work * items
    together = alone / at_once + cost.way * items + (ROUND if ready else START)
    return together < alone


def worked_here(
    work: Callable[[Any], Any],
    chunks: Sequence[Any],
    clock: Clock,
    worth: Callable[[Cost, int], bool],
    stopped: Callable[[], bool],
) -> list[Any]:
    """The results of the first chunks, up to where the rest is `worth` the way to helpers."""
    left = sum(map(len, chunks))
    results: list[Any] = []
    way = 0.0
    for chunk in chunks:
        refuse_stopped(stopped)
        began = clock.monotonic()
        results.append(work(chunk))
        took = clock.monotonic() - began
        if len(results) == 1:
            way = _way(work, chunk, results[0], clock) / len(chunk)
        left -= len(chunk)
        if worth(Cost(max(took - WARMING, 0.0) / max(len(chunk), 1), way), left):
            break
    return results


def refuse_stopped(stopped: Callable[[], bool]) -> None:
    """Go no further with the chunks of an attempt that is to stop."""
    if stopped():
        raise ClaimLost("the attempt is to stop, and so are its chunks")


def _way(work: Callable[[Any], Any], chunk: Any, result: Any, clock: Clock) -> float:
    """Seconds that it takes to send the chunk and its result, rather than an empty one."""
    _send(work, chunk[:0], None)  # the first is slow, and counts for nothing
    began = clock.monotonic()
    _send(work, chunk, result)
    sent = clock.monotonic()
    _send(work, chunk[:0], None)
    return SOCKET * max(2 * sent - began - clock.monotonic(), 0.0)


def _send(work: Callable[[Any], Any], chunk: Any, result: Any) -> None:
    """Do what it takes to send a chunk and its result, but for the process at the other end."""
    for parcel in (packed((work, chunk)), packed_result(result)):
        opened([bytearray(part) for part in parcel])
