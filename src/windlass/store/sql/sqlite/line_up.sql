-- Put the jobs that came alone in line; `line_up.gone` lets them go from where they were.
insert into windlass_jobs (id, type, queue, name, state, lane, rank, priority, threads, payload,
                           max_attempts, max_crashes, policy, created_at, run_at)
select id, type, queue, name, 'pending', case when threads > 0 then 'threads' else 'open' end, rank, priority, threads,
       payload, max_attempts, max_crashes, policy, created_at, created_at
  from windlass_newcomers
 order by id
