-- Put jobs back in line under the same id, with a fence that no old claim can match.
insert into windlass_jobs (id, type, queue, name, state, lane, rank, priority, threads, payload,
                           error, attempts, failures, crashes, max_attempts, max_crashes, policy,
                           key, fence, created_at, run_at)
select id, type, queue, name, 'pending', case when threads > 0 then 'threads' else 'open' end,
       :now - priority * (select aging_us from windlass_settings), priority, threads, payload,
       error, attempts, 0, 0, max_attempts, max_crashes, policy,
       key, fence + 1, created_at, :now
  from windlass_history
 where id in (select value from json_each(:ids))
