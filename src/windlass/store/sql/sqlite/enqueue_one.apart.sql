-- Keep one new job that is due now and comes alone, until `line_up` puts it in line; no row if its id is there already.
insert into windlass_newcomers (id, type, queue, name, rank, priority, threads, payload, max_attempts, max_crashes,
                                policy, created_at)
select :id, :type, :queue, :name,
       case when :priority = 0 then :now
            else :now - :priority * (select aging_us from windlass_settings) end,
       :priority, :threads, :payload, :max_attempts, :max_crashes, :policy, :now
 where not exists (select 1 from windlass_jobs where id = :id)
