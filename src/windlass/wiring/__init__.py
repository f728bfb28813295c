"""The one package that names concrete stores and bells, and puts the parts together."""

from windlass.wiring.storehouse import Storehouse, migrate
from windlass.wiring.windlass import Windlass

__all__ = ["Storehouse", "Windlass", "migrate"]
