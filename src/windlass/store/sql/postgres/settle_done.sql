-- End attempts that worked: each job whose claim is still good moves to history. Answers with how many.
-- What `settle_finish` does, for the ending that nearly all attempts have, and with fewer words.
with moment as materialized (select :now as at),
good as materialized (
    select s.result, j.*,
           moment.at - s.started_us * interval '1 microsecond' as started_at,
           moment.at - s.ended_us * interval '1 microsecond' as finished_at,
           s.started_us - s.ended_us as ran_us
      from moment,
           unnest(:id::uuid[], :fence::bigint[], :started_us::bigint[], :ended_us::bigint[],
                  :result::text[])
           as s(id, fence, started_us, ended_us, result),
           lateral (
               select w.id, w.type, w.queue, w.name, w.priority, w.threads, w.payload, w.attempts,
                      w.failures, w.crashes, w.max_attempts, w.max_crashes, w.policy, w.key,
                      w.fence, w.worker, w.created_at, w.run_at
                 from windlass_jobs w
                where w.id = s.id and w.fence = s.fence and w.worker = :worker::uuid
                limit 1
                  for update) j
),
gone as (
    delete from windlass_jobs where id = any(array(select id from good))
),
kept as (
    insert into windlass_history (id, type, queue, name, state, priority, threads, payload, result,
                                  attempts, failures, crashes, max_attempts, max_crashes, policy,
                                  key, fence, worker, created_at, run_at, started_at, finished_at)
    select id, type, queue, name, 'completed', priority, threads, payload, result::json,
           attempts + 1, failures, crashes, max_attempts, max_crashes, policy,
           key, fence, worker, created_at, run_at, started_at, finished_at
      from good
),
tally as (
    insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
    select (select at from moment), 0, queue, type, 'completed', count(*),
           coalesce(extract(epoch from sum(started_at - greatest(run_at, created_at))) * 1000000, 0),
           coalesce(sum(ran_us), 0)
      from good
     group by queue, type
)
select count(*) as settled from good
