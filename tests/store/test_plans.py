"""Plans: hot statements go by their index, also by statistics that were taken while nothing ran."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from tests.services import Postgres
from windlass.store.migrate import steps
from windlass.store.queries import Queries

# To fill the ledgers with a million jobs takes its time, above all on a busy machine.
pytestmark = pytest.mark.timeout(300)

SQLITE, POSTGRES = Queries("sqlite"), Queries("postgres")
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
OVER = {**ENDS, "states": ["completed", "failed"]}
LIVE = {**ENDS, "states": ["pending", "running", "scheduled"], "type": "mail", "bound": 10_000}
# Statement, its arguments, the indexes of windlass_jobs it may use.
HOT: list[tuple[str, dict[str, Any], set[str]]] = [
    ("claim", CLAIM, {"windlass_jobs_line"}),
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
    ("orphans", {"limit": 500, "lapsed": True}, {"windlass_jobs_held"}),
    ("asked", {"node": NODE}, {"windlass_jobs_asked"}),
    ("renew", {"node": NODE, "lease_us": 1}, {"windlass_jobs_line", "windlass_jobs_queue_line"}),
    ("job", {"id": IDS[0]}, {"windlass_jobs_pkey"}),
    ("find", {"ids": IDS[:50]}, {"windlass_jobs_pkey"}),
    ("cancel", {"ids": IDS[:50]}, {"windlass_jobs_pkey"}),
    ("bulk_hold", {"id": IDS[0], "fence": 1}, {"windlass_jobs_pkey"}),
    ("bulk_live", {"ids": IDS[:50], "until_us": 1}, {"windlass_jobs_pkey"}),
    ("bulk_finished", {"ids": IDS[:50], "until_us": 1}, {"windlass_jobs_pkey"}),
    ("enqueue_found", {"ids": IDS}, set()),
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
MILLION = """
do $$
begin
    for round in 1..10 loop
        insert into windlass_jobs (id, type, queue, state, lane, rank, priority, threads, payload,
                                   max_attempts, max_crashes, created_at, run_at)
        select gen_random_uuid(), 'mail', 'q' || n % 200, 'pending', 'open', 1000000 + n, 0, 0,
               '{}', 3, 3, now(), now()
          from generate_series(1, 100000) n;
        delete from windlass_jobs where rank > 1000000;
    end loop;
end
$$
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


@pytest.fixture(scope="module", params=list(LEDGERS))
def filled_url(
    request: pytest.FixtureRequest, postgres: Postgres, postgres_template: str
) -> Iterator[str]:
    """A database with many jobs, and statistics that know little of them."""
    url = postgres.create_database(template=postgres_template)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("alter table windlass_jobs set (autovacuum_enabled = off)")
        for statement in LEDGERS[request.param]:
            connection.execute(statement)
    yield url
    postgres.drop_database(url)


@pytest.fixture(scope="module")
def connection(filled_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(filled_url, autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize("kept", [False, True], ids=["for these arguments", "for any arguments"])
@pytest.mark.parametrize(("name", "args", "indexes"), HOT, ids=[name for name, *_ in HOT])
def test_a_hot_statement_goes_by_its_index(
    connection: psycopg.Connection,
    name: str,
    args: dict[str, Any],
    indexes: set[str],
    kept: bool,  # noqa: FBT001
) -> None:
    query = POSTGRES[name]

    if kept:
        rows = connection.execute(f"explain (generic_plan) {query.numbered}".encode())
    else:
        rows = connection.execute(f"explain {query.formatted}".encode(), args)

    plan = "\n".join(row[0] for row in rows)
    used = set(re.findall(r"windlass_jobs_(?:pkey|line|queue_line|due|held|asked)", plan))
    assert "Seq Scan on windlass_jobs" not in plan, plan
    assert used <= indexes, plan


@pytest.mark.parametrize("kept", [False, True], ids=["for these arguments", "for any arguments"])
@pytest.mark.parametrize(("name", "args", "index"), LISTS, ids=[name for name, *_ in LISTS])
def test_a_list_walks_along_the_index_that_was_made_for_it(
    history: psycopg.Connection,
    name: str,
    args: dict[str, Any],
    index: str,
    kept: bool,  # noqa: FBT001
) -> None:
    query = POSTGRES[name]

    if kept:
        rows = history.execute(f"explain (generic_plan) {query.numbered}".encode())
    else:
        rows = history.execute(f"explain {query.formatted}".encode(), args)

    plan = "\n".join(row[0] for row in rows)
    # A day of few jobs may be read whole; this one has many.
    many = re.findall(r"using (windlass_history_other_\w+)", plan)
    assert set(many) == {f"windlass_history_other_{index}"}, plan
    assert "Seq Scan on windlass_history_other" not in plan, plan


@pytest.fixture(scope="module", params=["true", "taken while nothing was there"])
def history(
    request: pytest.FixtureRequest, postgres: Postgres, postgres_template: str
) -> Iterator[psycopg.Connection]:
    """Many finished jobs on one day, whether or not the statistics know of them."""
    url = postgres.create_database(template=postgres_template)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("alter table windlass_history_other set (autovacuum_enabled = off)")
        for statement in [HISTORY, "analyze"][:: 1 if request.param == "true" else -1]:
            connection.execute(statement)
        yield connection
    postgres.drop_database(url)


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
    "prune_old",  # in the order of rowids, and bounded
}


LARGE = "windlass_(?:jobs|history|attempts|lines|progress|files|keys|rollups)"


@pytest.mark.parametrize("name", sorted(set(SQLITE) - MAY_SCAN))
def test_sqlite_reads_no_large_table_from_end_to_end(name: str) -> None:
    connection = sqlite3.connect(":memory:")
    for step in steps("sqlite"):
        connection.executescript(step.up)
    query = SQLITE[name]

    rows = connection.execute(
        f"explain query plan {query.text}", dict.fromkeys(query.parameters)
    ).fetchall()

    plan = "\n".join(row[3] for row in rows)
    large = "|".join([LARGE, *re.findall(rf"{LARGE}\s+([a-z])\b", query.text)])
    scans = [row[3] for row in rows if re.match(rf"SCAN (?:{large})\b", row[3])]
    # All jobs that run, or that are for later, are what some are about.
    few = re.compile(r"USING INDEX windlass_jobs_(?:held|due)$")
    assert [scan for scan in scans if not few.search(scan)] == [], plan
    connection.close()
