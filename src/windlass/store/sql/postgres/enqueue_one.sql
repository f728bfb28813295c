-- Keep one new job that is due now, and ring for it with the commit if it is told what to ring.
insert into windlass_jobs (id, type, queue, name, state, lane, rank, priority, threads, payload,
                           max_attempts, max_crashes, policy, created_at, run_at)
select :id::uuid, :type::text, :queue::text, :name::text, 'pending',
       case when :threads::smallint > 0 then 'threads' else 'open' end,
       case when :priority::smallint = 0 then windlass_us(at)
            else windlass_us(at) - :priority::smallint * (select aging_us from windlass_settings) end,
       :priority::smallint, :threads::smallint, :payload::text::json, :max_attempts::integer,
       :max_crashes::integer, :policy::text::json, at, at
  from (select :now as at offset 0) moment
returning case when :channel::text is not null then pg_notify(:channel::text, :words::text) end
