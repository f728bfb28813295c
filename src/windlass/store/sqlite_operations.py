"""Statements of the store that take several files on SQLite: choose first, change then.

PostgreSQL changes rows inside a `with`; SQLite cannot, and need not: whoever writes is alone. A
file named like the statement chooses and answers; files named after a dot (`claim.take`) make the
changes. Between them go JSON lists of rowids or ids, so that each file is one step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windlass.core.job import Lane, State
from windlass.store import handing
from windlass.store.script import Row, Rows, Statement
from windlass.store.sqlite_session import Operation, Session

# What `claim.sql` answers after the columns of a claim and the time.
CLAIM_THREADS, CLAIM_ROWID = 8, 16
UNWELL_COLUMNS = ("id", "fence", "error", "trace")


def claim(session: Session, statement: Statement) -> Rows:
    """Choose jobs and give them to the worker."""
    args = statement.args
    chosen = session.rows(statement.name, args)
    if args["lane"] != Lane.OPEN:
        chosen = _fitting(chosen, args["free_threads"], args["widest"])
    if chosen:
        rowids = [row[CLAIM_ROWID] for row in chosen]
        _change(session, "claim.take", worker=args["worker"], chosen=rowids)
    return chosen


def claim_open(session: Session, statement: Statement) -> Rows:
    """Choose jobs that ask for no thread; here that is the same question."""
    return claim(session, statement._replace(name="claim"))


def _fitting(rows: Rows, free_threads: int, widest: int) -> Rows:
    """The jobs, best first, whose threads are free together; one too wide for all runs on one."""
    used, fitting = 0, []
    for row in rows:
        threads = row[CLAIM_THREADS]
        need = min(threads, 1) if threads > widest else threads
        used += need
        if not need or used <= free_threads:
            fitting.append(row)
    return fitting


def enqueue_handed(session: Session, statement: Statement) -> Rows:
    """Keep a job, as the claim of a worker that stands by if one does."""
    args = statement.args
    taker = session.rows(statement.name, args)
    if not taker:
        session.rows("enqueue_one", args)
        return [{"sent": False, "news": None}]
    [(worker, number)] = taker
    [(rank,)] = session.rows("enqueue_handed.keep", {**args, "worker": worker})
    return [{"sent": False, "news": handing.news(worker, number, rank, args["told"])}]


def settle_finish(session: Session, statement: Statement) -> Rows:
    """Move jobs to history, count them, and keep what went wrong."""
    settled, last = session.change(statement)
    if not settled:
        return [(0,)]
    # Whoever writes is alone, so these are the rows that were just put into history.
    mark = last - settled
    unwell = _unwell(statement) if "state" in statement.columns else []
    if unwell:
        session.change(Statement("settle_finish.unwell", {"mark": mark}, UNWELL_COLUMNS, unwell))
    _change(session, "settle_finish.tally", mark=mark)
    _change(session, "settle_finish.gone", mark=mark)
    return [(settled,)]


def _unwell(statement: Statement) -> list[tuple[Any, ...]]:
    places = [statement.columns.index(name) for name in UNWELL_COLUMNS]
    state = statement.columns.index("state")
    return [
        tuple(row[place] for place in places)
        for row in statement.rows
        if row[state] != State.COMPLETED
    ]


def settle_return(session: Session, statement: Statement) -> Rows:
    """Keep what went wrong, and put the jobs back."""
    unwell, last = session.change(statement._replace(name="settle_return.unwell"))
    if unwell:
        # Whoever writes is alone, so these are the attempts that were just kept.
        _change(session, "settle_return.tally", mark=last - unwell)
    return [(session.change(statement).rows,)]


def renew(session: Session, statement: Statement) -> Rows:
    """Extend the lease, and look at the fleet then."""
    known = session.change(statement._replace(name="renew.extend")).rows
    return session.rows("renew", statement.args) if known else []


def lock_take(session: Session, statement: Statement) -> Rows:
    """Take a lock, or stand in line for it."""
    args = statement.args
    taken = session.rows("lock_take.take", args)
    if taken:
        return taken
    session.change(statement._replace(name="lock_take.stand"))
    return session.rows("lock_take", args)


def promote(session: Session, statement: Statement) -> Rows:
    """Put due jobs in line."""
    [row] = found = session.rows("promote", statement.args)
    if row["promoted"]:
        _change(session, "promote.move", chosen=row["chosen"])
    return found


def park(session: Session, statement: Statement) -> Rows:
    """Move jobs that nobody may take out of the way."""
    chosen = session.rows("park", statement.args)
    if chosen:
        _change(session, "park.aside", chosen=chosen)
    return chosen


def unpark(session: Session, statement: Statement) -> Rows:
    """Move parked jobs back in line."""
    found = session.rows("unpark", statement.args)
    if found and found[0]["moved"]:
        _change(session, "unpark.back", chosen=found[0]["chosen"])
    return found


def fold(session: Session, statement: Statement) -> Rows:
    """Replace rollups by coarser ones."""
    [row] = found = session.rows("fold", statement.args)
    if row["folded"]:
        _change(session, "fold.add", chosen=row["chosen"])
        _change(session, "fold.merge", chosen=row["chosen"], grain=statement.args["grain"])
        _change(session, "fold.gone", chosen=row["chosen"])
    return found


def cancel(session: Session, statement: Statement) -> Rows:
    """Cancel waiting jobs, and ask running ones."""
    found = session.rows("cancel", statement.args)
    running = [row for row in found if row["state"] == State.RUNNING]
    if running:
        _change(session, "cancel.ask", ids=_ids(running))
    if len(running) < len(found):
        for step in ("cancel.keep", "cancel.tally", "cancel.gone"):
            _change(session, step, ids=_ids(found))
    return found


def retry(session: Session, statement: Statement) -> Rows:
    """Move finished jobs back into the line."""
    found = session.rows("retry", statement.args)
    if found:
        for step in ("retry.back", "retry.tally", "delete.tally", "delete.history"):
            _change(session, step, ids=_ids(found))
    return found


def delete(session: Session, statement: Statement) -> Rows:
    """Forget finished jobs and what was kept with them."""
    found = session.rows("delete", statement.args)
    if found:
        with_keys = statement.args["with_keys"]
        for part in ("keys", "tally", "history", "attempts", "lines", "progress", "files"):
            _change(session, f"delete.{part}", ids=_ids(found), with_keys=with_keys)
    return found


def rerank(session: Session, statement: Statement) -> Rows:
    """Re-rank one chunk."""
    [row] = found = session.rows("rerank", statement.args)
    if row["id"] is None:
        return []
    _change(session, "rerank.move", after=statement.args["after"], last=row["id"])
    return found


def _change(session: Session, name: str, /, **args: Any) -> None:
    session.change(Statement(name, args))


def _ids(rows: Rows) -> list[str]:
    return [_id(row) for row in rows]


def _id(row: Row) -> str:
    return str(row["id"])


OPERATIONS: Mapping[str, Operation] = {
    "cancel": cancel,
    "claim": claim,
    "claim_many_queues": claim,
    "claim_open": claim_open,
    "claim_queues": claim,
    "delete": delete,
    "enqueue_handed": enqueue_handed,
    "fold": fold,
    "lock_take": lock_take,
    "park": park,
    "promote": promote,
    "renew": renew,
    "rerank": rerank,
    "retry": retry,
    "settle_done": settle_finish,
    "settle_finish": settle_finish,
    "settle_return": settle_return,
    "unpark": unpark,
}
