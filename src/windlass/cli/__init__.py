"""The command line: a thin door to the app's verbs, for people and for scripts."""

from windlass.cli.root import main

__all__ = ["main"]
