"""Real servers for tests and benchmarks: started from wheels, thrown away afterwards.

They are used alike in and outside of pytest:

    with PostgresServer(settings={"max_connections": "50"}) as postgres:
        url = postgres.create_database()
        postgres.stop("immediate")
        postgres.start()
"""

from tests.services.pgbouncer import PgBouncerServer
from tests.services.postgres import Postgres, PostgresServer
from tests.services.redis import RedisServer
from tests.services.server import Server, ServiceFailed

__all__ = [
    "PgBouncerServer",
    "Postgres",
    "PostgresServer",
    "RedisServer",
    "Server",
    "ServiceFailed",
]
