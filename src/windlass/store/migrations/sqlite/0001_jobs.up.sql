-- Live jobs in one small hot table, finished ones in history, and the fleet that runs them.
-- Instants are whole µs since 1970, lists and payloads are JSON text, ids are text. Checks are chains
-- of `or`: for `in (…)` SQLite builds a table each time, which costs a tenth of a job's whole life.

create table windlass_settings (
    one      integer primary key default 1 check (one = 1),
    aging_us integer not null default 60000000
);
insert into windlass_settings default values;

create table windlass_jobs (
    id              text    not null primary key,
    type            text    not null,
    queue           text    not null,
    name            text,
    state           text    not null
                            check (state = 'pending' or state = 'running' or state = 'scheduled'),
    lane            text    not null
                            check (lane = 'open' or lane = 'threads' or lane = 'parked'
                                   or lane = 'alone'),
    rank            integer not null,
    priority        integer not null,
    threads         integer not null,
    payload         text    not null,
    error           text,
    attempts        integer not null default 0,
    failures        integer not null default 0,
    crashes         integer not null default 0,
    max_attempts    integer not null,
    max_crashes     integer not null,
    policy          text,
    key             text,
    fence           integer not null default 0,
    worker          text,
    cancel_asked_at integer,
    created_at      integer not null,
    run_at          integer not null,
    claimed_at      integer
);

create index windlass_jobs_line on windlass_jobs (lane, rank, id) where state = 'pending';
create index windlass_jobs_queue_line on windlass_jobs (lane, queue, rank, id) where state = 'pending';
create index windlass_jobs_due on windlass_jobs (run_at) where state = 'scheduled';
create index windlass_jobs_held on windlass_jobs (worker) where state = 'running';
create index windlass_jobs_asked on windlass_jobs (worker) where cancel_asked_at is not null;

create table windlass_history (
    id           text    not null primary key,
    type         text    not null,
    queue        text    not null,
    name         text,
    state        text    not null
                         check (state = 'completed' or state = 'failed' or state = 'cancelled'),
    priority     integer not null,
    threads      integer not null,
    payload      text    not null,
    result       text,
    error        text,
    reason       text,
    attempts     integer not null,
    failures     integer not null,
    crashes      integer not null,
    max_attempts integer not null,
    max_crashes  integer not null,
    policy       text,
    key          text,
    fence        integer not null,
    worker       text,
    created_at   integer not null,
    run_at       integer not null,
    started_at   integer,
    finished_at  integer not null
);

create index windlass_history_unwell on windlass_history (state, id) where state <> 'completed';
create index windlass_history_type on windlass_history (type, id);
create index windlass_history_queue on windlass_history (queue, id);

create view windlass_live_jobs as
select id, type, queue, name, state, lane, priority, threads, payload, null as result, error,
       null as reason, attempts, failures, crashes, max_attempts, max_crashes, policy, key,
       fence, worker, cancel_asked_at is not null as cancel_requested, created_at, run_at,
       case when state = 'running' then claimed_at end as started_at,
       null as finished_at
  from windlass_jobs;

create view windlass_finished_jobs as
select id, type, queue, name, state, null as lane, priority, threads, payload, result, error,
       reason, attempts, failures, crashes, max_attempts, max_crashes, policy, key,
       fence, worker, false as cancel_requested, created_at, run_at, started_at, finished_at
  from windlass_history;

create view windlass_every_job as
select * from windlass_live_jobs
 union all
select * from windlass_finished_jobs;

create table windlass_attempts (
    job         text    not null,
    fence       integer not null,
    reason      text    not null,
    error       text,
    trace       text,
    worker      text,
    started_at  integer,
    finished_at integer not null
);
create index windlass_attempts_job on windlass_attempts (job, fence);

create table windlass_lines (
    job     text    not null,
    fence   integer not null,
    number  integer not null,
    level   text    not null,
    message text    not null,
    at      integer not null,
    primary key (job, fence, number)
) without rowid;

create table windlass_progress (
    job      text    not null,
    fence    integer not null,
    fraction real    not null,
    message  text,
    at       integer not null
);
create index windlass_progress_job on windlass_progress (job, at);

create table windlass_files (
    job        text not null,
    name       text not null,
    media_type text not null,
    content    blob not null,
    primary key (job, name)
);

create table windlass_keys (
    key         text    not null primary key,
    job         text    not null,
    fingerprint blob    not null,
    expires_at  integer not null
);
create index windlass_keys_expiry on windlass_keys (expires_at);

create table windlass_rollups (
    at        integer not null,
    grain     integer not null,
    queue     text    not null,
    type      text    not null,
    state     text    not null,
    jobs      integer not null,
    waited_us integer not null,
    ran_us    integer not null
);
create index windlass_rollups_at on windlass_rollups (grain, at);

create table windlass_queues (
    name      text    not null primary key,
    paused_at integer not null,
    paused_by text    not null
);

create table windlass_nodes (
    id          text    not null primary key,
    host        text    not null,
    pid         integer not null,
    version     text    not null,
    started_at  integer not null,
    lease_until integer not null
);

create table windlass_workers (
    id         text    not null primary key,
    node       text    not null references windlass_nodes on delete cascade,
    pid        integer not null,
    slots      integer not null,
    threads    integer not null,
    alone      integer not null,
    types      text    not null,
    queues     text,
    started_at integer not null,
    ended_at   integer
);
create index windlass_workers_node on windlass_workers (node);
