-- Live jobs in one small hot table, finished ones in history by day, and the fleet that runs them.

create function windlass_now() returns timestamptz
    language sql volatile
    as 'select clock_timestamp()';

comment on function windlass_now() is
    'The time of every decision. Tests replace it to own the clock.';

create function windlass_us(instant timestamptz) returns bigint
    language sql immutable strict
    as 'select (extract(epoch from instant) * 1000000)::bigint';

create table windlass_settings (
    one      boolean primary key default true check (one),
    aging_us bigint  not null default 60000000
);
insert into windlass_settings default values;

create table windlass_jobs (
    id              uuid        primary key,
    type            text        not null,
    queue           text        not null,
    name            text,
    state           text        not null check (state in ('scheduled', 'pending', 'running')),
    lane            text        not null check (lane in ('open', 'threads', 'alone', 'parked')),
    rank            bigint      not null,
    priority        smallint    not null,
    threads         smallint    not null,
    payload         json        not null,
    error           text,
    attempts        integer     not null default 0,
    failures        integer     not null default 0,
    crashes         integer     not null default 0,
    max_attempts    integer     not null,
    max_crashes     integer     not null,
    policy          json,
    key             text,
    fence           bigint      not null default 0,
    worker          uuid,
    cancel_asked_at timestamptz,
    created_at      timestamptz not null,
    run_at          timestamptz not null,
    claimed_at      timestamptz
) with (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.05
);

create index windlass_jobs_line on windlass_jobs (lane, rank, id) where state = 'pending';
create index windlass_jobs_queue_line on windlass_jobs (lane, queue, rank, id) where state = 'pending';
create index windlass_jobs_due on windlass_jobs (run_at) where state = 'scheduled';
create index windlass_jobs_held on windlass_jobs (worker) where state = 'running';
create index windlass_jobs_asked on windlass_jobs (worker) where cancel_asked_at is not null;

create table windlass_history (
    id           uuid        primary key,
    type         text        not null,
    queue        text        not null,
    name         text,
    state        text        not null check (state in ('completed', 'failed', 'cancelled')),
    priority     smallint    not null,
    threads      smallint    not null,
    payload      json        not null,
    result       json,
    error        text,
    reason       text,
    attempts     integer     not null,
    failures     integer     not null,
    crashes      integer     not null,
    max_attempts integer     not null,
    max_crashes  integer     not null,
    policy       json,
    key          text,
    fence        bigint      not null,
    worker       uuid,
    created_at   timestamptz not null,
    run_at       timestamptz not null,
    started_at   timestamptz,
    finished_at  timestamptz not null
) partition by range (id);

create index windlass_history_unwell on windlass_history (state, id) where state <> 'completed';
create index windlass_history_type on windlass_history (type, id);
create index windlass_history_queue on windlass_history (queue, id);

create view windlass_every_job as
select id, type, queue, name, state, lane, priority, threads, payload, null::json as result, error,
       null::text as reason, attempts, failures, crashes, max_attempts, max_crashes, policy, key,
       fence, worker, cancel_asked_at is not null as cancel_requested, created_at, run_at,
       case when state = 'running' then claimed_at end as started_at,
       null::timestamptz as finished_at
  from windlass_jobs
 union all
select id, type, queue, name, state, null, priority, threads, payload, result, error,
       reason, attempts, failures, crashes, max_attempts, max_crashes, policy, key,
       fence, worker, false, created_at, run_at, started_at, finished_at
  from windlass_history;

create table windlass_attempts (
    job         uuid        not null,
    fence       bigint      not null,
    reason      text        not null,
    error       text,
    trace       text,
    worker      uuid,
    started_at  timestamptz,
    finished_at timestamptz not null
) partition by range (job);
create index windlass_attempts_job on windlass_attempts (job, fence);

create table windlass_lines (
    job     uuid        not null,
    fence   bigint      not null,
    number  integer     not null,
    level   text        not null,
    message text        not null,
    at      timestamptz not null,
    primary key (job, fence, number)
) partition by range (job);

create table windlass_progress (
    job      uuid        not null,
    fence    bigint      not null,
    fraction real        not null,
    message  text,
    at       timestamptz not null
) partition by range (job);
create index windlass_progress_job on windlass_progress (job, at);

create table windlass_files (
    job        uuid  not null,
    name       text  not null,
    media_type text  not null,
    content    bytea not null,
    primary key (job, name)
) partition by range (job);

create table windlass_keys (
    key         text        primary key,
    job         uuid        not null,
    fingerprint bytea       not null,
    expires_at  timestamptz not null
);
create index windlass_keys_expiry on windlass_keys (expires_at);

create table windlass_rollups (
    at        timestamptz not null,
    grain     integer     not null,
    queue     text        not null,
    type      text        not null,
    state     text        not null,
    jobs      bigint      not null,
    waited_us bigint      not null,
    ran_us    bigint      not null
);
create index windlass_rollups_at on windlass_rollups (grain, at);

create table windlass_queues (
    name      text        primary key,
    paused_at timestamptz not null,
    paused_by text        not null
);

create table windlass_nodes (
    id          uuid        primary key,
    host        text        not null,
    pid         integer     not null,
    version     text        not null,
    started_at  timestamptz not null,
    lease_until timestamptz not null
);

create table windlass_workers (
    id         uuid        primary key,
    node       uuid        not null references windlass_nodes on delete cascade,
    pid        integer     not null,
    slots      integer     not null,
    threads    integer     not null,
    alone      boolean     not null,
    types      text[]      not null,
    queues     text[],
    started_at timestamptz not null,
    ended_at   timestamptz
);
create index windlass_workers_node on windlass_workers (node);

-- A UUIDv7 begins with its time in ms, so a day is a range of ids.
create function windlass_day_floor(day date) returns uuid
    language sql immutable strict
    as $$ select (lpad(to_hex((extract(epoch from day) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid $$;

create function windlass_open_day(day date) returns void
    language plpgsql
    set search_path from current
    as $$
declare
    kind text;
begin
    foreach kind in array array['history', 'attempts', 'lines', 'progress', 'files'] loop
        begin
            execute format(
                'create table if not exists %s partition of %s for values from (%L) to (%L)',
                'windlass_' || kind || '_' || to_char(day, 'YYYYMMDD'), 'windlass_' || kind,
                windlass_day_floor(day), windlass_day_floor(day + 1));
        exception when check_violation then
            -- A clock that ran ahead has put rows of this day into the odd partition: there they
            -- all stay, and are pruned one by one.
            null;
        end;
    end loop;
end
$$;

create function windlass_drop_day(day date) returns void
    language plpgsql
    set search_path from current
    as $$
declare
    kind text;
begin
    foreach kind in array array['history', 'attempts', 'lines', 'progress', 'files'] loop
        execute format('drop table if exists %s', 'windlass_' || kind || '_' || to_char(day, 'YYYYMMDD'));
    end loop;
end
$$;

create table windlass_history_other partition of windlass_history default;
create table windlass_attempts_other partition of windlass_attempts default;
create table windlass_lines_other partition of windlass_lines default;
create table windlass_progress_other partition of windlass_progress default;
create table windlass_files_other partition of windlass_files default;

select windlass_open_day((windlass_now() at time zone 'utc')::date + ahead)
  from generate_series(-1, 3) as ahead;
