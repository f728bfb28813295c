"""`python -m benchmarks.peers NAME COMMAND`: the program of one side, in its own environment."""

from __future__ import annotations

import sys
from importlib import import_module

from benchmarks.peers.side import main

name, *words = sys.argv[1:]
# By its name, and not as a program: workers must know its jobs by the same name.
main(import_module(f"benchmarks.peers.sides.{name}").SIDE, *words)
