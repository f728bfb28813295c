"""Which chores there are, and how often each has its turn."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

from msgspec import Struct

from windlass.bell.base import Bell
from windlass.clock import Chance
from windlass.core.errors import StoreAway
from windlass.loop import Loop, Pace, Turn
from windlass.observe.events import ChoreFailed, Observer
from windlass.store.base import Store
from windlass.store.records import Gone
from windlass.upkeep.beat import beat
from windlass.upkeep.deaths import NO_WILLS, NOBODY, Deaths, Wills, bury
from windlass.upkeep.fold import fold
from windlass.upkeep.judge import MayJudge, judging
from windlass.upkeep.park import park
from windlass.upkeep.promote import promote
from windlass.upkeep.prune import prune
from windlass.upkeep.reclaim import reclaim
from windlass.upkeep.unpark import unpark

DEFAULT_RETENTION = timedelta(days=7)

PACES = {
    # Hurried whenever something is scheduled for soon: 20 ms apart, a herd of them costs little.
    # What failed together is due together, though not all in one moment: it need not wait for that.
    "promote": Pace(every=1.0, breath=0.02, saved=10),
    "reclaim": Pace(every=1.0),
    # Not at once: while a node starts, its own workers are not yet known to want the jobs.
    "park": Pace(every=5.0, wait_first=True),
    "unpark": Pace(every=60.0, breath=0.1),
    "fold": Pace(every=10.0),
    "prune": Pace(every=60.0),
    "beat": Pace(every=5.0, wait_first=True),
}


class Tools(Struct, frozen=True, kw_only=True):
    """What chores work with."""

    store: Store
    bell: Bell
    chance: Chance
    observer: Observer
    retention: timedelta = DEFAULT_RETENTION
    deaths: Deaths = NOBODY
    wills: Wills = NO_WILLS


def rota(
    tools: Tools, may_judge: MayJudge, reclaimed: Callable[[], None] = lambda: None
) -> list[Loop]:
    """Every chore as a loop; `may_judge` tells whether a lease that ran out proves a death.

    Whoever reclaims jobs is told by `reclaimed`: they may have to run alone now.
    """
    store, bell, observer = tools.store, tools.bell, tools.observer

    async def judge() -> float | None:
        async with judging(store, may_judge) as lapsed_by:
            gone = Gone(lapsed_by, tools.deaths.dead())
            return await reclaim(
                store,
                bell,
                observer,
                chance=tools.chance,
                gone=gone,
                ends=tools.wills.ends,
                told=reclaimed,
            )

    async def clear() -> float | None:
        again = await prune(store, observer, retention=tools.retention)
        await bury(store, tools.deaths, tools.wills)
        return again

    turns: dict[str, Turn] = {
        "promote": partial(promote, store, bell, observer),
        "reclaim": judge,
        "park": partial(park, store, observer),
        "unpark": partial(unpark, store, bell, observer),
        "fold": partial(fold, store, observer),
        "prune": clear,
        "beat": partial(beat, store, tools.chance),
    }

    def report(chore: str, error: Exception) -> None:
        observer.on(ChoreFailed(chore, repr(error), away=isinstance(error, StoreAway)))

    return [
        Loop(name, PACES[name], turn, chance=tools.chance.random, report=report)
        for name, turn in turns.items()
    ]
