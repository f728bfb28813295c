-- Every pending job stands in a line as soon as it is kept.
insert into windlass_jobs (id, type, queue, name, state, lane, rank, priority, threads, payload,
                           max_attempts, max_crashes, policy, created_at, run_at)
select id, type, queue, name, 'pending', case when threads > 0 then 'threads' else 'open' end, rank, priority, threads,
       payload, max_attempts, max_crashes, policy, created_at, created_at
  from windlass_newcomers
 order by id;

drop view windlass_every_job;
create view windlass_every_job as
select * from windlass_live_jobs
 union all
select * from windlass_finished_jobs;
drop table windlass_newcomers;
