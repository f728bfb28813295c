"""Plans: hot statements go by their index, also by statistics that were taken while nothing ran."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from windlass.store.migrate import steps
from windlass.store.queries import Query, shipped

# To fill the ledgers with a million jobs takes its time, above all on a busy machine.
pytestmark = pytest.mark.timeout(300)

SQLITE, POSTGRES = shipped("sqlite"), shipped("postgres")
WORKER, NODE = str(uuid4()), str(uuid4())
IDS = [str(UUID(int=0x018F << 112 | 7 << 76 | 2 << 62 | n)) for n in range(500)]

CLAIM = {
    "node": NODE,
    "worker": WORKER,
    "lane": "open",
    "limit": 200,
    "types": ["mail"],
    "free_threads": 4,
    "widest": 4,
    "los": [-(2**62), 10],
    "his": [10, 2**62],
}
ONE_EACH = {
    "id": IDS,
    "fence": [1] * 500,
    "state": ["completed"] * 500,
    "fence_after": [1] * 500,
    "attempts": [1] * 500,
    "failures": [0] * 500,
    "crashes": [0] * 500,
    "started_us": [2] * 500,
    "ended_us": [1] * 500,
    "delay_us": [0] * 500,
    "lane": ["open"] * 500,
    "result": [None] * 500,
    "error": [None] * 500,
    "trace": [None] * 500,
    "reason": [None] * 500,
    "worker": WORKER,
}
ENDS = {
    "before": "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "after": "00000000-0000-0000-0000-000000000000",
    "limit": 51,
}
NEWEST = {"job": ENDS["before"], "fence": 2**62}
OVER = {**ENDS, "states": ["completed", "failed"]}
LIVE = {**ENDS, "states": ["pending", "running", "scheduled"], "type": "mail", "bound": 10_000}
# Statement, its arguments, the indexes of windlass_jobs it may use.
HOT: list[tuple[str, dict[str, Any], set[str]]] = [
    ("claim", CLAIM, {"windlass_jobs_line"}),
    ("claim_open", CLAIM, {"windlass_jobs_line"}),
    ("claim_queues", {**CLAIM, "queues": ["q1", "q2"], "deep": 200}, {"windlass_jobs_queue_line"}),
    (
        "claim_many_queues",
        {**CLAIM, "queues": [f"q{n}" for n in range(100)]},
        {"windlass_jobs_line"},
    ),
    ("settle_done", ONE_EACH, {"windlass_jobs_pkey"}),
    ("settle_finish", ONE_EACH, {"windlass_jobs_pkey"}),
    ("settle_return", ONE_EACH, {"windlass_jobs_pkey"}),
    ("settle_check", {"ids": IDS[:50]}, {"windlass_jobs_pkey"}),
    ("promote", {"limit": 500}, {"windlass_jobs_due", "windlass_jobs_pkey"}),
    ("held", {"worker": WORKER}, {"windlass_jobs_held"}),
    (
        "orphans",
        {"limit": 500, "lapsed_by": 0, "dead": [NODE]},
        {"windlass_jobs_held", "windlass_jobs_pkey"},
    ),
    ("asked", {"node": NODE}, {"windlass_jobs_asked"}),
    ("renew", {"node": NODE, "lease_us": 1}, {"windlass_jobs_line", "windlass_jobs_queue_line"}),
    ("job", {"id": IDS[0]}, {"windlass_jobs_pkey"}),
    ("find", {"ids": IDS[:50]}, {"windlass_jobs_pkey"}),
    ("cancel", {"ids": IDS[:50]}, {"windlass_jobs_pkey"}),
    ("bulk_hold", {"id": IDS[0], "fence": 1}, {"windlass_jobs_pkey"}),
    ("bulk_live", {"ids": IDS[:50], "until_us": 1}, {"windlass_jobs_pkey"}),
    ("bulk_finished", {"ids": IDS[:50], "until_us": 1}, {"windlass_jobs_pkey"}),
    ("enqueue_take_back", {"ids": IDS}, {"windlass_jobs_pkey"}),
    ("enqueue_states", {"ids": IDS}, {"windlass_jobs_pkey"}),
    ("page_walk", {**LIVE, "queue": None}, {"windlass_jobs_pkey"}),
    ("page_reach", {**ENDS, "bound": 10_000}, {"windlass_jobs_pkey"}),
    (
        "page_gather",
        {**LIVE, "queue": "q1"},
        {"windlass_jobs_queue_line", "windlass_jobs_due", "windlass_jobs_held"},
    ),
    (
        "page_search",
        {"ids": IDS, "name": None, "key": None, "error": "x", "fields": "[]", "finished_us": None}
        | {"limit": 51},
        {"windlass_jobs_pkey"},
    ),
    ("facts", {"id": IDS[0]}, {"windlass_jobs_pkey", "windlass_jobs_line"}),
    ("queues", {"bound": 10_000}, {"windlass_jobs_queue_line", "windlass_jobs_held"}),
    ("fleet_workers", {"most": 100}, {"windlass_jobs_held"}),
    ("beat_states", {}, {"windlass_jobs_held"}),
    ("newest", {}, {"windlass_jobs_pkey"}),
    ("run_now", {"ids": IDS[:50]}, {"windlass_jobs_pkey"}),
    ("page_errors", {"ids": IDS}, {"windlass_jobs_pkey"}),
    ("faults_lately", {**NEWEST, "window_us": 1, "limit": 5_000}, {"windlass_jobs_pkey"}),
]
# Statement, its arguments, the index of each part of windlass_history it must use.
LISTS: list[tuple[str, dict[str, Any], str]] = [
    ("page_every", ENDS, "pkey"),
    ("page_unwell", {**ENDS, "states": ["failed"]}, "state_id_idx"),
    ("page_type", {**OVER, "type": "mail"}, "type_state_id_idx"),
    ("page_type_queue", {**OVER, "type": "mail", "queue": "q1"}, "queue_type_state_id_idx"),
    ("page_queue", {**OVER, "queue": "q1"}, "queue_type_state_id_idx"),
    ("page_state", OVER, "type_state_id_idx"),
    ("find", {"ids": IDS[:50]}, "pkey"),
    ("newest", {}, "pkey"),
    ("faults", {"ids": IDS[:50]}, "pkey"),
    ("page_errors", {"ids": IDS[:50]}, "pkey"),
    ("beat_cells", {"since_us": 1, "most": 50}, "queue_type_state_id_idx"),
]

FILL = """
insert into windlass_jobs (id, type, queue, state, lane, rank, priority, threads, payload,
                           max_attempts, max_crashes, created_at, run_at)
select gen_random_uuid(), 'mail', 'q' || n % 200, 'pending',
       case when n % 10 = 0 then 'threads' else 'open' end, n, 0,
       case when n % 10 = 0 then 1 else 0 end, '{}', 3, 3, now(), now()
  from generate_series(1, 40000) n
"""
CHURN = """
with gone as (delete from windlass_jobs where rank % 4 <> 0 returning *)
insert into windlass_history (id, type, queue, state, priority, threads, payload, attempts,
                              failures, crashes, max_attempts, max_crashes, fence, created_at,
                              run_at, finished_at)
select id, type, queue, 'completed', priority, threads, payload, 1, 0, 0, 3, 3, 1, now(), now(),
       now()
  from gone
"""
HISTORY = """
insert into windlass_history (id, type, queue, state, priority, threads, payload, attempts,
                              failures, crashes, max_attempts, max_crashes, fence, created_at,
                              run_at, finished_at)
select gen_random_uuid(), 'mail', 'q' || n % 4,
       case when n % 3 = 0 then 'failed' else 'completed' end, 0, 0, '{}', 1, 0, 0, 3, 3, 1,
       now(), now(), now()
  from generate_series(1, 60000) n
"""
# What a transaction takes back leaves the same pages behind as what is deleted.
MILLION = """
begin;
insert into windlass_jobs (id, type, queue, state, lane, rank, priority, threads, payload,
                           max_attempts, max_crashes, created_at, run_at)
select lpad(to_hex(100000 + n), 32, '0')::uuid, 'mail', 'q' || n % 200, 'pending',
       'open', 1000000 + n % 100000, 0, 0, '{}', 3, 3, now(), now()
  from generate_series(1, 1000000) n;
rollback
"""
RUN = f"""
insert into windlass_nodes values ('{NODE}', 'here', 1, '1', now(), now() + interval '1 hour');
insert into windlass_workers (id, node, pid, slots, threads, alone, types, started_at)
values ('{WORKER}', '{NODE}', 1, 500, 4, false, array['mail'], now());
update windlass_jobs set state = 'running', worker = '{WORKER}', fence = 1 where rank <= 2000;
"""  # noqa: S608 — ids of our own
LEDGERS = {
    "taken while nothing ran": [FILL, "analyze", RUN],
    "taken while nothing was there": ["analyze", FILL, RUN],
    "taken before most was done": [FILL, "analyze", FILL, CHURN, RUN],
    "taken before a million came and went": [FILL, "analyze", MILLION, RUN],
}


# What may be done to a table of jobs before it is asked, and then stays as it is.
UNTENDED = "alter table {} set (autovacuum_enabled = off)"


@pytest.fixture
def connection(postgres_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection


def plans(
    connection: psycopg.Connection, name: str, args: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """How a statement is run for these arguments, and for any."""
    query = POSTGRES[name]
    given = connection.execute(f"explain {query.formatted}".encode(), args)
    yield f"{name} for these arguments", "\n".join(row[0] for row in given)
    kept = connection.execute(f"explain (generic_plan) {query.numbered}".encode())
    yield f"{name} for any arguments", "\n".join(row[0] for row in kept)


@pytest.mark.parametrize("ledger", LEDGERS)
def test_hot_statements_go_by_their_index(connection: psycopg.Connection, ledger: str) -> None:
    for statement in [UNTENDED.format("windlass_jobs"), *LEDGERS[ledger]]:
        connection.execute(statement.encode())

    found = {
        which: (indexes, plan)
        for name, args, indexes in HOT
        for which, plan in plans(connection, name, args)
    }

    assert {which: plan for which, (indexes, plan) in found.items() if strays(plan, indexes)} == {}


def strays(plan: str, indexes: set[str]) -> bool:
    used = set(re.findall(r"windlass_jobs_(?:pkey|line|queue_line|due|held|asked)", plan))
    return "Seq Scan on windlass_jobs" in plan or not used <= indexes


@pytest.mark.parametrize("statistics", ["true", "taken while nothing was there"])
def test_lists_walk_along_the_index_that_was_made_for_them(
    connection: psycopg.Connection, statistics: str
) -> None:
    steps = [HISTORY, "analyze"] if statistics == "true" else ["analyze", HISTORY]
    for statement in [UNTENDED.format("windlass_history_other"), *steps]:
        connection.execute(statement.encode())

    found = {
        which: (index, plan)
        for name, args, index in LISTS
        for which, plan in plans(connection, name, args)
    }

    assert {which: plan for which, (index, plan) in found.items() if leaves(plan, index)} == {}


def leaves(plan: str, index: str) -> bool:
    """Whether it reads the one day that has many jobs otherwise; one of few may be read whole."""
    many = set(re.findall(r"using (windlass_history_other_\w+)", plan))
    scanned = "Seq Scan on windlass_history_other" in plan
    return scanned or many != {f"windlass_history_other_{index}"}


# What SQLite must go by, also when somebody has run `analyze` at a bad moment.
SQLITE_HOT: dict[str, set[str]] = {
    "claim": {"windlass_jobs_line"},
    "claim_many_queues": {"windlass_jobs_line"},
    "claim_queues": {"windlass_jobs_queue_line"},
    "claim.take": set(),
    "settle_done": {"sqlite_autoindex_windlass_jobs_1"},
    "settle_finish": {"sqlite_autoindex_windlass_jobs_1"},
    "settle_finish.gone": {"sqlite_autoindex_windlass_jobs_1"},
    "settle_return": {"sqlite_autoindex_windlass_jobs_1"},
    "settle_return.unwell": {"sqlite_autoindex_windlass_jobs_1"},
    "settle_check": {"sqlite_autoindex_windlass_jobs_1"},
    "promote": {"windlass_jobs_due"},
    "held": {"windlass_jobs_held"},
    "orphans": {"windlass_jobs_held"},
    "asked": {"windlass_jobs_asked"},
    "renew": {"windlass_jobs_line", "windlass_jobs_queue_line"},
    "job": {"sqlite_autoindex_windlass_jobs_1"},
    "find": {"sqlite_autoindex_windlass_jobs_1"},
    "cancel": {"sqlite_autoindex_windlass_jobs_1"},
    "cancel.ask": {"sqlite_autoindex_windlass_jobs_1"},
    "cancel.gone": {"sqlite_autoindex_windlass_jobs_1"},
    "bulk_hold": {"sqlite_autoindex_windlass_jobs_1"},
    "bulk_live": {"sqlite_autoindex_windlass_jobs_1"},
    "bulk_finished": {"sqlite_autoindex_windlass_jobs_1"},
    "enqueue_states": {"sqlite_autoindex_windlass_jobs_1"},
    "facts": {"sqlite_autoindex_windlass_jobs_1", "windlass_jobs_line"},
    "page_walk": {"sqlite_autoindex_windlass_jobs_1"},
    "page_reach": {"sqlite_autoindex_windlass_jobs_1"},
    "page_gather": {"windlass_jobs_due", "windlass_jobs_held", "windlass_jobs_queue_line"},
    "page_search": {"sqlite_autoindex_windlass_jobs_1"},
    "queues": {"windlass_jobs_held", "windlass_jobs_queue_line"},
    "fleet_workers": {"windlass_jobs_held"},
    "beat_states": {"windlass_jobs_held"},
    "newest": {"sqlite_autoindex_windlass_jobs_1"},
    "run_now": {"sqlite_autoindex_windlass_jobs_1"},
    "page_errors": {"sqlite_autoindex_windlass_jobs_1"},
    "faults_lately": {"sqlite_autoindex_windlass_jobs_1"},
}
# The one index of windlass_history that each list walks along.
SQLITE_LISTS = {
    "page_every": "sqlite_autoindex_windlass_history_1",
    "page_unwell": "windlass_history_unwell",
    "page_type": "windlass_history_type",
    "page_type_queue": "windlass_history_queue",
    "page_queue": "windlass_history_queue",
    "page_state": "windlass_history_type",
    "find": "sqlite_autoindex_windlass_history_1",
    "newest": "sqlite_autoindex_windlass_history_1",
    "faults": "sqlite_autoindex_windlass_history_1",
    "page_errors": "sqlite_autoindex_windlass_history_1",
    "beat_cells": "windlass_history_queue",
}
SQLITE_FILL = """
with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 3000)
insert into windlass_jobs (id, type, queue, state, lane, rank, priority, threads, payload, worker,
                           max_attempts, max_crashes, created_at, run_at)
select hex(randomblob(16)), 'mail', 'q' || n % 50, {state},
       case when n % 10 = 0 then 'threads' else 'open' end, n, 0, n % 10 = 0, '{{}}', {worker},
       3, 3, n, n
  from numbers
"""
SQLITE_HISTORY = """
with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 3000)
insert into windlass_history (id, type, queue, state, priority, threads, payload, attempts,
                              failures, crashes, max_attempts, max_crashes, fence, created_at,
                              run_at, finished_at)
select hex(randomblob(16)), 'mail', 'q' || (n % 4),
       case when n % 3 = 0 then 'failed' else 'completed' end, 0, 0, '{}', 1, 0, 0, 3, 3, 1, n, n, n
  from numbers
"""
PENDING = SQLITE_FILL.format(state="'pending'", worker="null")
RUNNING = SQLITE_FILL.format(state="'running'", worker="'w' || n % 3")
SCHEDULED = SQLITE_FILL.format(state="'scheduled'", worker="null")
SQLITE_LEDGERS = {
    "never taken": [PENDING],
    "taken while nothing was there": ["analyze", PENDING, RUNNING],
    "taken while nothing ran": [PENDING, "analyze", RUNNING],
    "taken while nothing waited": [RUNNING, "analyze", PENDING],
    "taken while all was for later": [SCHEDULED, "analyze", PENDING, RUNNING],
    "true": [PENDING, RUNNING, SCHEDULED, "analyze"],
}


@pytest.mark.parametrize("ledger", SQLITE_LEDGERS)
def test_sqlite_goes_by_the_index_whatever_its_statistics_say(ledger: str) -> None:
    connection = sqlite3.connect(":memory:")
    for step in steps("sqlite"):
        connection.executescript(step.up)
    for statement in SQLITE_LEDGERS[ledger]:
        connection.execute(statement)
    connection.commit()
    # Statistics are read when a database is opened, or when told so.
    connection.execute("analyze sqlite_schema")

    wrong = {}
    for name, indexes in SQLITE_HOT.items():
        query = SQLITE[name]
        rows = connection.execute(
            f"explain query plan {query.text}", dict.fromkeys(query.parameters)
        ).fetchall()
        plan = "\n".join(row[3] for row in rows)
        used = set(re.findall(r"windlass_jobs_(?:line|queue_line|due|held|asked)", plan))
        used |= set(re.findall(r"sqlite_autoindex_windlass_jobs_1", plan))
        if not used <= indexes or "SCAN windlass_jobs" in plan:
            wrong[name] = plan

    assert wrong == {}
    connection.close()


@pytest.mark.parametrize("statistics", ["never taken", "true", "taken while nothing was there"])
def test_sqlite_lists_by_the_index_that_was_made_for_it(statistics: str) -> None:
    connection = sqlite3.connect(":memory:")
    for step in steps("sqlite"):
        connection.executescript(step.up)
    if statistics == "taken while nothing was there":
        connection.execute("analyze")
    connection.execute(SQLITE_HISTORY)
    if statistics == "true":
        connection.execute("analyze")
    connection.commit()
    connection.execute("analyze sqlite_schema")

    used = {}
    for name in SQLITE_LISTS:
        query = SQLITE[name]
        rows = connection.execute(
            f"explain query plan {query.text}", dict.fromkeys(query.parameters)
        ).fetchall()
        plan = "\n".join(row[3] for row in rows)
        used[name] = set(re.findall(r"(?:sqlite_autoindex_)?windlass_history_\w+", plan))
        assert not re.search(r"SCAN (?:h|windlass_history)$", plan, re.MULTILINE), plan

    assert used == {name: {index} for name, index in SQLITE_LISTS.items()}
    connection.close()


# Small tables, and those that are counted whole.
MAY_SCAN = {
    "counts_live",  # a covering index, and that is the count
    "bulk_size_live",  # once for an action, which then goes through most of them
    "census_count",  # every live job, and no more often than that costs
    "line_up",  # all who came alone, and they are few
    "prune_old",  # in the order of rowids, and bounded
}


LARGE = "windlass_(?:jobs|history|attempts|lines|progress|files|keys|rollups)"


def test_sqlite_reads_no_large_table_from_end_to_end() -> None:
    connection = sqlite3.connect(":memory:")
    for step in steps("sqlite"):
        connection.executescript(step.up)

    found = {name: large_scans(connection, SQLITE[name]) for name in set(SQLITE) - MAY_SCAN}

    assert {name: scans for name, scans in found.items() if scans} == {}
    connection.close()


def large_scans(connection: sqlite3.Connection, query: Query) -> list[str]:
    """What of the plan reads a large table whole; all that run or are for later are but few."""
    rows = connection.execute(
        f"explain query plan {query.text}", dict.fromkeys(query.parameters)
    ).fetchall()
    large = "|".join([LARGE, *re.findall(rf"{LARGE}\s+([a-z])\b", query.text)])
    few = re.compile(r"USING INDEX windlass_jobs_(?:held|due)$")
    return [
        row[3]
        for row in rows
        if re.match(rf"SCAN (?:{large})\b", row[3]) and not few.search(row[3])
    ]
