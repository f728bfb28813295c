"""Huey on SQLite as `huey_sqlite` has it, but with commits that survive a power cut."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["huey==3.5.4"]
#
# [tool.side]
# name = "Huey (SQLite, fsync)"
# store = "sqlite"
# durable = true
# setup = "one consumer, 2 processes, WAL, fsync, polls each 10 ms, no results"
# workers = 1
# worker = [
#   "{bin}/huey_consumer", "benchmarks.peers.sides.huey_sqlite.huey",
#   "-k", "process", "-w", "2", "-n", "-q", "-d", "0.01", "-m", "0.01",
# ]
# slots = 2
# drain = 40_000
# [tool.side.env]
# SIDE_FSYNC = "1"
# ///

from __future__ import annotations

from benchmarks.peers.sides.huey_sqlite import SIDE

__all__ = ["SIDE"]
