-- Every pending job stands in a line as soon as it is kept.
drop view windlass_every_job;
drop view windlass_live_jobs;

create table windlass_jobs_anew (
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
update windlass_jobs set lane = case when threads > 0 then 'threads' else 'open' end where lane is null;
insert into windlass_jobs_anew select * from windlass_jobs order by rowid;
drop table windlass_jobs;
alter table windlass_jobs_anew rename to windlass_jobs;

create index windlass_jobs_line on windlass_jobs (lane, rank, id) where state = 'pending';
create index windlass_jobs_queue_line on windlass_jobs (lane, queue, rank, id) where state = 'pending';
create index windlass_jobs_due on windlass_jobs (run_at) where state = 'scheduled';
create index windlass_jobs_held on windlass_jobs (worker) where state = 'running';
create index windlass_jobs_asked on windlass_jobs (worker) where cancel_asked_at is not null;

create view windlass_live_jobs as
select id, type, queue, name, state, lane, priority, threads, payload, null as result, error,
       null as reason, attempts, failures, crashes, max_attempts, max_crashes, policy, key,
       fence, worker, cancel_asked_at is not null as cancel_requested, created_at, run_at,
       case when state = 'running' then claimed_at end as started_at,
       null as finished_at
  from windlass_jobs;

create view windlass_every_job as
select * from windlass_live_jobs
 union all
select * from windlass_finished_jobs;
