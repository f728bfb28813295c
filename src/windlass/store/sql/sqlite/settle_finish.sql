-- End attempts for good: each job whose claim is still good is put into history.
with ended (id, fence, state, fence_after, attempts, failures, crashes, started_us, ended_us, result,
            error, trace, reason) as (
    values (:id, :fence, :state, :fence_after, :attempts, :failures, :crashes, :started_us, :ended_us,
            :result, :error, :trace, :reason)
)
insert or replace into windlass_history (id, type, queue, name, state, priority, threads, payload,
                                         result, error, reason, attempts, failures, crashes,
                                         max_attempts, max_crashes, policy, key, fence, worker,
                                         created_at, run_at, started_at, finished_at)
select j.id, j.type, j.queue, j.name, s.state, j.priority, j.threads, j.payload, s.result,
       case when s.state <> 'completed' then coalesce(s.error, j.error) end, s.reason, s.attempts,
       s.failures, s.crashes, j.max_attempts, j.max_crashes, j.policy, j.key, s.fence_after,
       j.worker, j.created_at, j.run_at, :now - s.started_us, :now - s.ended_us
  from ended s
 cross join windlass_jobs j
 where j.id = s.id and j.fence = s.fence and j.worker = :worker
