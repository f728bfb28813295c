-- End attempts that worked: each job whose claim is still good is put into history.
with ended (id, fence, started_us, ended_us, result) as (
    values (:id, :fence, :started_us, :ended_us, :result)
)
insert into windlass_history (id, type, queue, name, state, priority, threads, payload, result,
                              attempts, failures, crashes, max_attempts, max_crashes, policy, key,
                              fence, worker, created_at, run_at, started_at, finished_at)
select j.id, j.type, j.queue, j.name, 'completed', j.priority, j.threads, j.payload, s.result,
       j.attempts + 1, j.failures, j.crashes, j.max_attempts, j.max_crashes, j.policy, j.key,
       j.fence, j.worker, j.created_at, j.run_at, :now - s.started_us, :now - s.ended_us
  from ended s
 cross join windlass_jobs j
 where j.id = s.id and j.fence = s.fence and j.worker = :worker
