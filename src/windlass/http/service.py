"""What every route works with."""

from __future__ import annotations

from dataclasses import dataclass, field

from windlass.app import App
from windlass.clock import Chance, Clock
from windlass.config import Settings
from windlass.http.accounts import Accounts
from windlass.http.drain import Drain
from windlass.http.fault_finding import FaultFinding
from windlass.http.gate import Gate
from windlass.http.live import Live, sources
from windlass.http.scraped import Scraped
from windlass.observe.events import Observer
from windlass.observe.metrics import Metrics
from windlass.sink.tray import Tray


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """An app with its surroundings, for one process that serves."""

    app: App
    gate: Gate
    accounts: Accounts
    settings: Settings
    clock: Clock
    chance: Chance
    observer: Observer
    drain: Drain = field(default_factory=Drain)
    mail: Tray | None = None  # what a mail sink has taken, if there is one
    metrics: Metrics = field(default_factory=Metrics)  # one that `observer` tells, too
    live: Live = field(init=False)
    scraped: Scraped = field(init=False)
    faults: FaultFinding = field(init=False)

    def __post_init__(self) -> None:
        """Make what asks the store for everybody: those who listen, and those who scrape."""
        live = Live(sources(self.app), clock=self.clock, chance=self.chance, observer=self.observer)
        object.__setattr__(self, "live", live)
        object.__setattr__(self, "scraped", Scraped(self.app, self.clock, self.metrics))
        object.__setattr__(self, "faults", FaultFinding(self.app, self.clock))
