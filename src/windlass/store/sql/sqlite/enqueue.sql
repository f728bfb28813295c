-- Keep new jobs: due ones stand in line at once, later ones wait to be promoted.
with asked (id, type, queue, name, priority, threads, payload, delay_us, run_at_us, max_attempts,
            max_crashes, policy, key) as (
    values (:id, :type, :queue, :name, :priority, :threads, :payload, :delay_us, :run_at_us,
            :max_attempts, :max_crashes, :policy, :key)
),
placed as (
    select *, max(coalesce(run_at_us, :now + delay_us, :now), :now) as due from asked
)
insert into windlass_jobs (id, type, queue, name, state, lane, rank, priority, threads, payload,
                           max_attempts, max_crashes, policy, key, created_at, run_at)
select id, type, queue, name,
       case when due > :now then 'scheduled' else 'pending' end,
       case when threads > 0 then 'threads' else 'open' end,
       due - priority * (select aging_us from windlass_settings),
       priority, threads, payload, max_attempts, max_crashes, policy, key, :now,
       coalesce(run_at_us, due)
  from placed
 where id is not null
