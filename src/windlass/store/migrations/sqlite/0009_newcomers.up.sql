-- Jobs that came alone, until whoever writes next puts them in line: a commit there changes four pages, here one.
create table windlass_newcomers (
    id           text    not null primary key,
    type         text    not null,
    queue        text    not null,
    name         text,
    rank         integer not null,
    priority     integer not null,
    threads      integer not null,
    payload      text    not null,
    max_attempts integer not null,
    max_crashes  integer not null,
    policy       text,
    created_at   integer not null
) without rowid;

drop view windlass_every_job;
create view windlass_every_job as
select * from windlass_live_jobs
 union all
select id, type, queue, name, 'pending', case when threads > 0 then 'threads' else 'open' end, priority, threads,
       payload, null, null, null, 0, 0, 0, max_attempts, max_crashes, policy, null, 0, null, false, created_at,
       created_at, null, null
  from windlass_newcomers
 union all
select * from windlass_finished_jobs;
