-- Keep one new job that is due now and comes alone: `line_up` gives it a lane, and with it a place in line.
insert into windlass_jobs (id, type, queue, name, state, lane, rank, priority, threads, payload,
                           max_attempts, max_crashes, policy, created_at, run_at)
values (:id, :type, :queue, :name, 'pending', null,
        case when :priority = 0 then :now
             else :now - :priority * (select aging_us from windlass_settings) end,
        :priority, :threads, :payload, :max_attempts, :max_crashes, :policy, :now, :now)
