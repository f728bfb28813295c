-- Keep one new job that is due now.
insert into windlass_jobs (id, type, queue, name, state, lane, rank, priority, threads, payload,
                           max_attempts, max_crashes, policy, created_at, run_at)
values (:id, :type, :queue, :name, 'pending',
        case when :threads > 0 then 'threads' else 'open' end,
        case when :priority = 0 then :now
             else :now - :priority * (select aging_us from windlass_settings) end,
        :priority, :threads, :payload, :max_attempts, :max_crashes, :policy, :now, :now)
