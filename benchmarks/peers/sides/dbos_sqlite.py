"""DBOS on SQLite: one process, and else as on PostgreSQL."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["dbos==3.3.0"]
#
# [tool.side]
# name = "DBOS (SQLite)"
# store = "sqlite"
# durable = true
# setup = "1 process, 100 workflows, polled every 10 ms, no steps"
# workers = 1
# worker = ["{python}", "-m", "benchmarks.peers", "dbos_sqlite", "work"]
# drain = 6_000
# slots = 100
# ///

from benchmarks.peers.sides.dbos_postgres import SIDE

__all__ = ["SIDE"]
