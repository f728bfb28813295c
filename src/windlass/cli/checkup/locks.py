"""Locks: whether somebody keeps a table to themselves."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from windlass.cli.checkup.finding import Finding, problem
from windlass.cli.words import span

if TYPE_CHECKING:
    from windlass.cli.server import Connection

# Our own statements lock rows; a whole table only migrations, and not for long.
LONG = timedelta(seconds=1)
HELD = """
select distinct on (a.pid) a.pid, c.relname::text as name, clock_timestamp() - a.xact_start as age,
       coalesce(nullif(a.application_name, ''), a.usename, '?') || ', ' || coalesce(a.state, '?')
  from pg_locks l
  join pg_class c on c.oid = l.relation
  join pg_stat_activity a on a.pid = l.pid
 where l.granted and l.database = (select oid from pg_database where datname = current_database())
   and c.relnamespace = to_regnamespace($1) and c.relname like 'windlass\\_%'
   and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
   and a.xact_start < clock_timestamp() - $2::interval
 order by a.pid, name
"""


async def examine(connection: Connection, schema: str, long: timedelta = LONG) -> list[Finding]:
    """Name whoever has locked a table for so long; with nobody there is nothing to say."""
    return [
        problem(
            "locks",
            f"process {pid} ({who}) has locked {name} for {span(age)}",
            f"end it if it should not: select pg_terminate_backend({pid})",
        )
        for pid, name, age, who in await connection.fetch(HELD, schema, long)
    ]
