"""How many statements a database was asked, as PostgreSQL itself counts them."""

from __future__ import annotations

from benchmarks.sites import Site

SEEN = (
    "select coalesce(sum(calls), 0) from pg_stat_statements s join pg_database d on d.oid = s.dbid"
    " where d.datname = current_database() and query not like '%pg_stat_statements%'"
    " and query like '{like}'"
)
# What every statement says that takes jobs for a worker, as PostgreSQL remembers it.
CLAIMS = "%fence = fence + %, worker = $%"


def count_statements(site: Site) -> None:
    """Count those of whoever connects to this database from now on."""
    name = site.url.rsplit("/", 1)[1]
    site.ask("create extension if not exists pg_stat_statements")
    site.ask(f'alter database "{name}" set pg_stat_statements.track = top')


def statements(site: Site, like: str = "%") -> int:
    """How many there were so far that look like this."""
    [(seen,)] = site.ask(SEEN.format(like=like))
    return int(seen)
