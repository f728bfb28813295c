-- End attempts for good: each job whose claim is still good moves to history. Answers with how many.
with moment as materialized (select :now as at),
good as materialized (
    select s.after, s.state, s.fence_after, s.attempts, s.failures, s.crashes, s.result, s.error,
           s.trace, s.reason, j.id, j.type, j.queue, j.name, j.priority, j.threads, j.payload,
           j.max_attempts, j.max_crashes, j.policy, j.key, j.fence, j.worker, j.created_at, j.run_at,
           j.error as last_error,
           moment.at - s.started_us * interval '1 microsecond' as started_at,
           moment.at - s.ended_us * interval '1 microsecond' as finished_at,
           s.started_us - s.ended_us as ran_us
      from moment,
           unnest(:id::uuid[], :fence::bigint[], :state::text[], :fence_after::bigint[],
                  :attempts::integer[], :failures::integer[], :crashes::integer[],
                  :started_us::bigint[], :ended_us::bigint[], :result::json[], :error::text[],
                  :trace::text[], :reason::text[])
           with ordinality
           as s(id, fence, state, fence_after, attempts, failures, crashes, started_us, ended_us,
                result, error, trace, reason, after),
           lateral (
               select * from windlass_jobs w
                where w.id = s.id and w.fence = s.fence and w.worker = :worker::uuid
                limit 1
                  for update) j
),
gone as (
    delete from windlass_jobs where id = any(array(select id from good))
),
kept as (
    insert into windlass_history (id, type, queue, name, state, priority, threads, payload, result,
                                  error, reason, attempts, failures, crashes, max_attempts,
                                  max_crashes, policy, key, fence, worker, created_at, run_at,
                                  started_at, finished_at)
    select id, type, queue, name, state, priority, threads, payload, result,
           case when state <> 'completed' then coalesce(error, last_error) end, reason, attempts,
           failures, crashes, max_attempts, max_crashes, policy, key, fence_after, worker, created_at, run_at,
           started_at, finished_at
      from good
        on conflict (id) do nothing
),
unwell as (
    insert into windlass_attempts (job, fence, reason, error, trace, worker, started_at, finished_at)
    select id, fence, coalesce(reason, state), error, trace, worker, started_at, finished_at
      from good
     where state <> 'completed'
),
tally as (
    insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
    select (select at from moment), 0, queue, type, state, count(*),
           coalesce(extract(epoch from sum(started_at - greatest(run_at, created_at))) * 1000000, 0),
           coalesce(sum(ran_us), 0)
      from good
     group by queue, type, state
)
select count(*) as settled from good
