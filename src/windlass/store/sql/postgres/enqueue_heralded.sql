-- Keep new jobs as `enqueue_alike` does, and ring for them with the commit: nobody has to be told first.
with moment as materialized (
    select at, windlass_us(at) as us from (select :now as at) clock
),
kept as (
    insert into windlass_jobs (id, type, queue, name, state, lane, rank, priority, threads, payload,
                               max_attempts, max_crashes, policy, created_at, run_at)
    select n.id, :type::text, :queue::text, :name::text, 'pending',
           case when :threads::smallint > 0 then 'threads' else 'open' end,
           us - :priority::smallint * (select aging_us from windlass_settings),
           :priority::smallint, :threads::smallint, n.payload::json, :max_attempts::integer,
           :max_crashes::integer, :policy::text::json, at, at
      from moment, unnest(:id::uuid[], :payload::text[]) as n(id, payload)
 returning 1
)
select pg_notify(:channel::text, :words::text) where exists (select from kept)
