"""A PostgreSQL server: whether it keeps what it is given, and what stands in our way."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import asyncpg

from windlass.cli.checkup import locks, rights
from windlass.cli.checkup.finding import Finding, ok, problem, warning
from windlass.cli.server import connected
from windlass.cli.words import count, span
from windlass.clock import SystemClock
from windlass.config import PROGRAM, Settings
from windlass.core.errors import StoreAway
from windlass.core.secrets import without_password

if TYPE_CHECKING:
    from windlass.cli.server import Connection

# Times that are said with the database's clock and read with ours are off by as much.
CLOCK_TOLERANCE = timedelta(seconds=1)
# A worker's claims slow down about 20 s after vacuum was last able to clean up.
LONG = timedelta(minutes=1)
CROWDED = 0.9
# What helps, by what went wrong; the first that fits.
STEPS: tuple[tuple[type[BaseException], str], ...] = (
    (asyncpg.InvalidAuthorizationSpecificationError, "correct user or password in {named}"),
    (asyncpg.InvalidCatalogNameError, "make it with createdb, or correct its name in {named}"),
    (asyncpg.TooManyConnectionsError, "raise max_connections, or put PgBouncer in between"),
    (asyncpg.CannotConnectNowError, "it starts, or stops: ask again in a moment"),
    (socket.gaierror, "correct the host in {named}, or see why its name is not found"),
    (TimeoutError, "see whether it hangs or a firewall is in between, or correct {named}"),
)

FACTS = """
select current_setting('server_version')         as version,
       current_setting('fsync')                  as fsync,
       current_setting('full_page_writes')       as full_page_writes,
       current_setting('synchronous_commit')     as synchronous_commit,
       current_setting('max_connections')::int   as most,
       (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
       pg_is_in_recovery()                       as recovering,
       pg_backend_pid()                          as pid
"""
NOW = "select (extract(epoch from clock_timestamp()) * 1000000)::bigint"
HOLDERS = """
select 'process ' || pid || ' (' || coalesce(nullif(application_name, ''), usename, '?') || ', '
       || coalesce(state, '?') || ')' as holder,
       clock_timestamp() - xact_start as age
  from pg_stat_activity
 where datname = current_database() and pid <> pg_backend_pid()
   and coalesce(backend_xid, backend_xmin) is not null
   and xact_start < clock_timestamp() - $1::interval
union all
select 'prepared transaction ' || gid, clock_timestamp() - prepared
  from pg_prepared_xacts
 where database = current_database() and prepared < clock_timestamp() - $1::interval
 order by age desc
 limit 3
"""


async def examine(url: str, settings: Settings) -> AsyncIterator[Finding]:
    """Look at the server past the store, which would refuse a sick one."""
    try:
        async with connected(url) as connection:
            for finding in await _findings(connection, url, settings):
                yield finding
    except StoreAway as away:
        yield problem("store", f"{away} ({without_password(url)})", advice(away, settings))


def advice(away: StoreAway, settings: Settings) -> str:
    """What to do about a server that cannot be used, by what it or the system said."""
    source = settings.sources["store"]
    named = "--store" if source == PROGRAM else source
    found = (step for kind, step in STEPS if isinstance(away.__cause__, kind))
    return next(found, "start it, or correct the address in {named}").format(named=named)


async def _findings(connection: Connection, url: str, settings: Settings) -> list[Finding]:
    [row] = await connection.fetch(FACTS)
    facts = dict(row)
    return [
        ok("store", f"PostgreSQL {facts['version']} at {without_password(url)}"),
        await rights.examine(connection, settings.schema),
        *durability(facts, settings),
        _pooler(connection, facts, settings),
        await _clock(connection),
        *await locks.examine(connection, settings.schema),
        await vacuum(connection, LONG),
        _crowd(facts),
    ]


def durability(facts: Mapping[str, Any], settings: Settings) -> Iterator[Finding]:
    """Whether what was committed is still there after a crash."""
    if facts["recovering"]:
        yield problem("role", "it is a standby and takes no jobs", "connect to the primary")
    if facts["fsync"] == "off":
        grade = warning if settings.unsafe else problem
        yield grade("fsync", "fsync is off: a power cut damages the database", "turn fsync on")
    if facts["full_page_writes"] == "off":
        yield warning(
            "full_page_writes",
            "full_page_writes is off: a power cut may damage the database",
            "turn it on, unless the file system never writes half a page",
        )
    if facts["synchronous_commit"] == "off":
        yield problem(
            "synchronous_commit",
            "synchronous_commit is off: a crash loses jobs that were accepted",
            "alter role … set synchronous_commit = on",
        )
    elif facts["fsync"] == "on":
        yield ok("durability", f"fsync is on, synchronous_commit {facts['synchronous_commit']}")


def _pooler(connection: Connection, facts: Mapping[str, Any], settings: Settings) -> Finding:
    """A pooler answers the connection itself, so it names another process than the one at work."""
    direct = connection.get_server_pid() == facts["pid"]
    if direct:
        return ok("pooler", "none in between")
    if settings.pgbouncer:
        return ok("pooler", "a pooler such as PgBouncer is in between, and the settings say so")
    return problem(
        "pooler",
        "a pooler such as PgBouncer is in between; in transaction mode statements will fail",
        "set WINDLASS_PGBOUNCER=1",
    )


async def _clock(connection: Connection) -> Finding:
    clock = SystemClock()
    before = clock.now_us()
    theirs = await connection.fetchval(NOW)
    ours = (before + clock.now_us()) / 2
    apart = timedelta(microseconds=abs(theirs - ours))
    if apart < CLOCK_TOLERANCE:
        return ok("clock", f"the database's differs from this machine's by {span(apart)}")
    return warning(
        "clock",
        f"the database's differs from this machine's by {span(apart)}; jobs go by the database's",
        "synchronise both machines with NTP",
    )


async def vacuum(connection: Connection, long: timedelta) -> Finding:
    """Whether a transaction that is open for so long keeps dead rows in the way of claims."""
    holders = await connection.fetch(HOLDERS, long)
    if not holders:
        return ok("vacuum", "no long transaction holds it back")
    told = ", ".join(f"{row['holder']} for {span(row['age'])}" for row in holders)
    return warning(
        "vacuum",
        f"transactions hold it back, and claims get slower: {told}",
        "end them: select pg_terminate_backend(…), or rollback prepared …",
    )


def _crowd(facts: Mapping[str, Any]) -> Finding:
    told = f"{count(facts['connections'], 'connection')} of at most {facts['most']:,}"
    if facts["connections"] < CROWDED * facts["most"]:
        return ok("connections", told)
    return warning("connections", told, "raise max_connections, or put PgBouncer in between")
