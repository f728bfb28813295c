"""Windlass on PostgreSQL with Redis beside it: jobs are as durable, only the bell is quicker."""
# /// script
# requires-python = ">=3.11"
# dependencies = []
#
# [tool.side]
# name = "Windlass (PostgreSQL + Redis)"
# store = "postgres+redis"
# durable = true
# setup = "one worker process, Redis for bells; jobs are kept in PostgreSQL"
# workers = 1
# worker = ["{bin}/windlass", "worker", "--app", "benchmarks.peers.sides.windlass_redis:app"]
# drain = 400_000
# slots = 100
#
# [tool.side.env]
# WINDLASS_STORE = "{store}"
# WINDLASS_REDIS = "{redis}"
# WINDLASS_LOG = "warning"
# ///

from benchmarks.peers.sides.windlass_postgres import SIDE, app

__all__ = ["SIDE", "app"]
