"""Rights: whether the role that we are may do what Windlass does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass.cli.checkup.finding import Finding, ok, problem

if TYPE_CHECKING:
    from windlass.cli.server import Connection

ROLE = """
select current_user::text as role,
       case when n.oid is null then has_database_privilege(current_database(), 'create')
            else has_schema_privilege(n.oid, 'usage') end as enters,
       case when n.oid is null then has_database_privilege(current_database(), 'create')
            else has_schema_privilege(n.oid, 'create') end as makes
  from (select to_regnamespace($1)) as n (oid)
"""
# What is asked of a table by somebody who may not do it.
REFUSED = """
select c.relname::text as name
  from pg_class c
 where c.relnamespace = to_regnamespace($1) and c.relkind in ('r', 'p', 'v')
   and c.relname like 'windlass\\_%' and not c.relispartition
   and not (has_table_privilege(c.oid, 'select')
            and (c.relkind = 'v' or (has_table_privilege(c.oid, 'insert')
                                     and has_table_privilege(c.oid, 'update')
                                     and has_table_privilege(c.oid, 'delete'))))
 order by 1
"""
THERE = """
select exists (select from pg_class
                where relnamespace = to_regnamespace($1) and relname = 'windlass_migrations')
"""
NAMED = 3


async def examine(connection: Connection, schema: str) -> Finding:
    """Ask the server what this role may do in the schema."""
    [(role, enters, makes)] = await connection.fetch(ROLE, schema)
    if not enters:
        said = f"role {role} may not use schema {schema}"
        return problem("rights", said, f"grant usage, create on schema {schema} to {role}")
    if not await connection.fetchval(THERE, schema):
        return _newcomer(role, schema, makes=makes)
    refused = [name for (name,) in await connection.fetch(REFUSED, schema)]
    if not refused:
        return ok("rights", f"role {role} may use every table")
    more = f" and {len(refused) - NAMED} more" if len(refused) > NAMED else ""
    return problem(
        "rights",
        f"role {role} may not read and change {', '.join(refused[:NAMED])}{more}",
        f"connect as the role that made them, or make {role} a member of it",
    )


def _newcomer(role: str, schema: str, *, makes: bool) -> Finding:
    if makes:
        return ok("rights", f"role {role} may make the tables")
    return problem(
        "rights",
        f"role {role} may not make tables in schema {schema}",
        f"grant create on schema {schema} to {role}",
    )
