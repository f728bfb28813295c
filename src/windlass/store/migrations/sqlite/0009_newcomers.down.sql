-- Every pending job stands in a line as soon as it is kept.
insert into windlass_jobs (id, type, queue, name, state, lane, rank, priority, threads, payload,
                           max_attempts, max_crashes, policy, created_at, run_at)
select id, type, queue, name, 'pending', case when threads > 0 then 'threads' else 'open' end, rank, priority, threads,
       payload, max_attempts, max_crashes, policy, created_at, created_at
  from windlass_newcomers
 order by id;
drop table windlass_newcomers;
