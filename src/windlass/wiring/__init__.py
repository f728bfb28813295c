"""The one package that names concrete stores and bells, and puts the parts together.

Names are imported when they are first used: a supervisor starts its first process before them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.wiring.storehouse import Storehouse, migrate
    from windlass.wiring.windlass import Windlass

__all__ = ["Storehouse", "Windlass", "migrate"]

_HOMES = {
    "Storehouse": "windlass.wiring.storehouse",
    "Windlass": "windlass.wiring.windlass",
    "migrate": "windlass.wiring.storehouse",
}


if not TYPE_CHECKING:  # a type checker shall know a wrong name from a right one

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'windlass.wiring' has no attribute {name!r}")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
