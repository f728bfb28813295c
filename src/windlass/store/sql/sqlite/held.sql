-- The claims that the store believes this worker holds.
select id, fence, type, queue, payload, priority, rank, lane, threads, attempts, failures, crashes,
       max_attempts, max_crashes, policy, 0 as now_us
  from windlass_jobs indexed by windlass_jobs_held
 where state = 'running' and worker = :worker
