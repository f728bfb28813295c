-- Keep new jobs that are due now and differ in nothing but id and payload, as most batches do.
with asked (id, payload) as (
    values (:id, :payload)
)
insert into windlass_jobs (id, type, queue, name, state, lane, rank, priority, threads, payload,
                           max_attempts, max_crashes, policy, created_at, run_at)
select id, :type, :queue, :name, 'pending',
       case when :threads > 0 then 'threads' else 'open' end,
       :now - :priority * (select aging_us from windlass_settings),
       :priority, :threads, payload, :max_attempts, :max_crashes, :policy, :now, :now
  from asked
 where id is not null
