"""Enqueue as a script: keys first, then jobs, in one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from windlass.core.errors import KeyTaken
from windlass.core.herald import Herald
from windlass.core.job import JobId, NewJob, Policy, State
from windlass.store import handing
from windlass.store.records import Enqueued
from windlass.store.rows import MICROSECOND, microseconds
from windlass.store.script import Row, Script, Statement

COLUMNS = (
    "id",
    "type",
    "queue",
    "name",
    "priority",
    "threads",
    "payload",
    "delay_us",
    "run_at_us",
    "max_attempts",
    "max_crashes",
    "policy",
    "key",
)
KEY_COLUMNS = ("key", "job", "fingerprint", "window_us")

PENDING = State.PENDING


def enqueue_script(jobs: Sequence[NewJob], *, again: bool = False) -> Script[list[Enqueued]]:
    """Keep the jobs, all or none; a key that is held answers with its job instead of a new one.

    `again` when a first sending of some may have been committed: rows that are there stay as they
    are, and those whose jobs are in history are taken back, which leaves the others in line. Insert
    first, look second: the other order would miss a job that finishes in between.
    """
    keyed = [job for job in jobs if job.key is not None]
    holders = (yield from _take_keys(keyed)) if keyed else {}
    new = [job for job in jobs if job.id not in holders]
    if new:
        yield insert(new, again=again)
    later = yield from _scheduled(new)
    fresh = {job.id: Enqueued(job.id, later.get(job.id, PENDING)) for job in new}
    answers = [fresh.get(job.id) or _standing(holders[job.id], fresh) for job in jobs]
    if again:
        yield Statement("enqueue_take_back", {"ids": [job.id for job in new]})
    return answers


def in_one(jobs: Sequence[NewJob]) -> Statement | None:
    """The one statement that keeps these jobs, if it takes no more than that."""
    if _alike(jobs):
        return _insert_alike(jobs)
    return insert(jobs) if all(map(plain, jobs)) else None


def insert(jobs: Sequence[NewJob], *, again: bool = False) -> Statement:
    """The statement that keeps these jobs, once their keys are taken."""
    if not again and _alike(jobs):
        return _insert_alike(jobs)
    name = "enqueue_again" if again else "enqueue"
    return Statement(name, columns=COLUMNS, rows=[_row(job) for job in jobs])


def lone(job: NewJob, herald: Herald | None = None) -> Statement:
    """The statement that keeps one plain job, and rings for it if there is a herald."""
    # All at once: one by one, its fields take twice as long.
    id_, type_, payload, queue, name, priority, threads, _, _, attempts, crashes, policy, _, _ = job
    return Statement(
        "enqueue_one",
        {
            "id": id_,
            "type": type_,
            "queue": queue,
            "name": name,
            "priority": priority,
            "threads": threads,
            "payload": payload,
            "max_attempts": attempts,
            "max_crashes": crashes,
            "policy": _policy(policy) if policy else None,
            "channel": herald.channel if herald else None,
            "words": herald.words if herald else None,
        },
    )


def handed(job: NewJob, herald: Herald) -> Statement | None:
    """The statement that hands a plain job to a worker that stands by, if there can be one."""
    told = handing.told(job, _policy(job.policy))
    if told is None:
        return None
    return Statement("enqueue_handed", {**lone(job, herald).args, "told": told})


def plain(job: NewJob) -> bool:
    """Whether the job needs one insert and nothing else."""
    return job.key is None and job.delay is None and job.run_at is None


def _alike(jobs: Sequence[NewJob]) -> bool:
    """Whether they differ in nothing but id and payload, and stand in line at once.

    Sending what they share once, instead of once a job, halves the cost of a batch.
    """
    first = jobs[0]
    shared = first[3:]
    return plain(first) and all(job[3:] == shared and job.type == first.type for job in jobs)


def _insert_alike(jobs: Sequence[NewJob]) -> Statement:
    rows = [(job.id, job.payload) for job in jobs]
    return Statement("enqueue_alike", _shared(jobs[0]), ("id", "payload"), rows)


def _shared(job: NewJob) -> dict[str, Any]:
    """All that is said of a plain job but what tells it from others."""
    return {
        "type": job.type,
        "queue": job.queue,
        "name": job.name,
        "priority": job.priority,
        "threads": job.threads,
        "max_attempts": job.max_attempts,
        "max_crashes": job.max_crashes,
        "policy": _policy(job.policy),
    }


def fingerprint(job: NewJob) -> bytes:
    """What makes two requests with one key the same request: type, queue and canonical payload."""
    canonical = msgspec.json.encode(msgspec.json.decode(job.payload), order="deterministic")
    parts = (job.type.encode(), job.queue.encode(), canonical)
    return hashlib.sha256(b"\x00".join(parts)).digest()


def _row(job: NewJob) -> tuple[Any, ...]:
    return (
        job.id,
        job.type,
        job.queue,
        job.name,
        job.priority,
        job.threads,
        job.payload,
        None if job.delay is None else job.delay // MICROSECOND,
        None if job.run_at is None else microseconds(job.run_at),
        job.max_attempts,
        job.max_crashes,
        _policy(job.policy),
        job.key,
    )


def _policy(policy: Policy | None) -> str | None:
    return msgspec.json.encode(policy).decode() if policy else None


def _scheduled(jobs: Sequence[NewJob]) -> Script[dict[JobId, State]]:
    timed = [job.id for job in jobs if job.delay is not None or job.run_at is not None]
    if not timed:
        return {}
    rows = yield Statement("enqueue_states", {"ids": timed})
    return {row["id"]: State.SCHEDULED for row in rows}


def _take_keys(jobs: Sequence[NewJob]) -> Script[dict[JobId, Enqueued]]:
    """Which of these jobs are not new, and who stands in their place."""
    first: dict[str, NewJob] = {}
    for job in jobs:
        first.setdefault(_key(job), job)
    prints = {job.id: fingerprint(job) for job in jobs}
    # Sorted, so that two batches with the same keys wait for each other instead of locking up.
    keys = sorted(first)
    held: dict[str, Row] = {}
    # A key may expire and be pruned between the two statements; then it is free, and taken next.
    while len(held) < len(keys):
        yield Statement(
            "keys_take",
            columns=KEY_COLUMNS,
            rows=[
                (key, first[key].id, prints[first[key].id], first[key].key_window // MICROSECOND)
                for key in keys
            ],
        )
        rows = yield Statement("keys_held", {"keys": keys})
        held = {row["key"]: row for row in rows}
    return {job.id: answer for job in jobs if (answer := _holder(job, held[_key(job)], prints))}


def _holder(job: NewJob, row: Row, prints: dict[JobId, bytes]) -> Enqueued | None:
    if bytes(row["fingerprint"]) != prints[job.id]:
        raise KeyTaken(_key(job), row["job"])
    if row["job"] == job.id:
        return None
    state = row["state"]
    return Enqueued(row["job"], None if state is None else State(state), existing=True)


def _standing(holder: Enqueued, fresh: Mapping[JobId, Enqueued]) -> Enqueued:
    """The holder of a key; of one that came in the same batch there was no row to tell its state.

    Any other without a row is over and pruned: its key holds on, and nobody knows how it ended.
    """
    twin = fresh.get(holder.id) if holder.state is None else None
    return holder if twin is None else holder._replace(state=twin.state)


def _key(job: NewJob) -> str:
    assert job.key is not None  # noqa: S101 — only jobs with a key come here
    return job.key
