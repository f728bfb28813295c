-- Put waiting jobs into history as cancelled.
insert into windlass_history (id, type, queue, name, state, priority, threads, payload, error,
                              reason, attempts, failures, crashes, max_attempts, max_crashes,
                              policy, key, fence, created_at, run_at, finished_at)
select id, type, queue, name, 'cancelled', priority, threads, payload, error,
       'cancelled', attempts, failures, crashes, max_attempts, max_crashes,
       policy, key, fence, created_at, run_at, :now
  from windlass_jobs
 where id in (select value from json_each(:ids)) and state <> 'running'
