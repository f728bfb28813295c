"""Windlass on SQLite: one worker process, each commit on the disk before it is answered."""
# /// script
# requires-python = ">=3.11"
# dependencies = []
#
# [tool.side]
# name = "Windlass (SQLite)"
# store = "sqlite"
# durable = true
# setup = "one worker process, WAL, synchronous=FULL, no settings"
# workers = 1
# worker = ["{bin}/windlass", "worker", "--app", "benchmarks.peers.sides.windlass_sqlite:app"]
# drain = 400_000
# slots = 100
#
# [tool.side.env]
# WINDLASS_STORE = "sqlite:///{store}"
# WINDLASS_LOG = "warning"
# ///

from benchmarks.peers.sides.windlass_postgres import SIDE, app

__all__ = ["SIDE", "app"]
