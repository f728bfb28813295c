-- End attempts that worked: each job whose claim is still good moves to history. Answers with how many.
-- What `settle_finish` does, for the ending that nearly all attempts have, and in fewer steps: ids
-- ascend, so a job finds its place among them by halving, and nothing is joined or locked before.
with moment as materialized (select :now as at),
gone as (
    delete from windlass_jobs
     where id = any(:id::uuid[]) and worker = :worker::uuid
       and fence = (:fence::bigint[])[width_bucket(id, :id::uuid[])]
    returning id, type, queue, name, priority, threads, payload, attempts, failures, crashes,
              max_attempts, max_crashes, policy, key, fence, worker, created_at, run_at,
              width_bucket(id, :id::uuid[]) as place
),
kept as (
    insert into windlass_history (id, type, queue, name, state, priority, threads, payload, result,
                                  attempts, failures, crashes, max_attempts, max_crashes, policy,
                                  key, fence, worker, created_at, run_at, started_at, finished_at)
    select id, type, queue, name, 'completed', priority, threads, payload,
           (:result::text[])[place]::json,
           attempts + 1, failures, crashes, max_attempts, max_crashes, policy,
           key, fence, worker, created_at, run_at,
           moment.at - (:started_us::bigint[])[place] * interval '1 microsecond',
           moment.at - (:ended_us::bigint[])[place] * interval '1 microsecond'
      from moment, gone
    returning queue, type, started_at - greatest(run_at, created_at) as waited,
              finished_at - started_at as ran
),
tally as (
    insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
    select (select at from moment), 0, queue, type, 'completed', count(*),
           coalesce(extract(epoch from sum(waited)) * 1000000, 0),
           coalesce(extract(epoch from sum(ran)) * 1000000, 0)
      from kept
     group by queue, type
)
select count(*) as settled from kept
