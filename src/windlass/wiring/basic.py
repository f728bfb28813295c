"""The app with every built-in type of job, for workers that are given no other."""

from windlass.wiring.windlass import Windlass

app = Windlass(builtins=True)
