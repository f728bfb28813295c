"""What every route works with."""

from __future__ import annotations

from dataclasses import dataclass

from windlass.app import App
from windlass.clock import Chance, Clock
from windlass.config import Settings
from windlass.observe.events import Observer


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """An app with its surroundings, for one process that serves."""

    app: App
    settings: Settings
    clock: Clock
    chance: Chance
    observer: Observer
