-- Keep jobs whose first sending may have been committed already; rows that are there stay as they are.
-- One that is not there may have run and been deleted since. Its fences begin at the time, where none of its former
-- ones can have come to, lest something sent before for one of those be taken for it.
-- Documents come as text: on a connection of the caller's, json may have a codec of its own.
with moment as materialized (
    select at, windlass_us(at) as us from (select :now as at) clock
),
asked as (
    select n.*, moment.at, moment.us,
           coalesce(timestamptz 'epoch' + n.run_at_us * interval '1 microsecond',
                    moment.at + n.delay_us * interval '1 microsecond') as later
      from unnest(:id::uuid[], :type::text[], :queue::text[], :name::text[], :priority::smallint[],
                  :threads::smallint[], :payload::text[], :delay_us::bigint[],
                  :run_at_us::bigint[], :max_attempts::integer[], :max_crashes::integer[],
                  :policy::text[], :key::text[])
           as n(id, type, queue, name, priority, threads, payload, delay_us, run_at_us, max_attempts,
                max_crashes, policy, key),
           moment
)
insert into windlass_jobs (id, type, queue, name, state, lane, rank, priority, threads, payload,
                           max_attempts, max_crashes, policy, key, fence, created_at, run_at)
select id, type, queue, name,
       case when later > at then 'scheduled' else 'pending' end,
       case when threads > 0 then 'threads' else 'open' end,
       case when later > at then windlass_us(later) else us end
           - priority * (select aging_us from windlass_settings),
       priority, threads, payload::json, max_attempts, max_crashes, policy::json, key, us, at,
       coalesce(later, at)
  from asked
    on conflict (id) do nothing
