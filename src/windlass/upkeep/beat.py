"""How things went, written down for whoever looks at it later."""

from __future__ import annotations

from windlass.clock import Chance
from windlass.store.base import Store

# Those who find that it is too early shall not all come back at once.
JITTER = 0.1


async def beat(store: Store, chance: Chance) -> float:
    """Write down what happened since the last time, once for the whole fleet."""
    return await store.beat() * (1 + JITTER * chance.random())
