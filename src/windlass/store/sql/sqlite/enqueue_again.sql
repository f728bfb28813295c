-- Keep jobs whose first sending may have been committed already; rows that are there stay as they are.
-- One that is not there may have run and been deleted since. Its fences begin at the time, where none of its former
-- ones can have come to, lest something sent before for one of those be taken for it.
with asked (id, type, queue, name, priority, threads, payload, delay_us, run_at_us, max_attempts,
            max_crashes, policy, key) as (
    values (:id, :type, :queue, :name, :priority, :threads, :payload, :delay_us, :run_at_us,
            :max_attempts, :max_crashes, :policy, :key)
),
placed as (
    select *, max(coalesce(run_at_us, :now + delay_us, :now), :now) as due from asked
)
insert into windlass_jobs (id, type, queue, name, state, lane, rank, priority, threads, payload,
                           max_attempts, max_crashes, policy, key, fence, created_at, run_at)
select id, type, queue, name,
       case when due > :now then 'scheduled' else 'pending' end,
       case when threads > 0 then 'threads' else 'open' end,
       due - priority * (select aging_us from windlass_settings),
       priority, threads, payload, max_attempts, max_crashes, policy, key, :now, :now,
       coalesce(run_at_us, due)
  from placed
 where id is not null
    on conflict (id) do nothing
