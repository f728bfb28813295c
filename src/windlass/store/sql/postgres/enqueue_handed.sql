-- Keep one new job that is due now and asks for no thread; if a worker stands by, the commit is its claim, too.
-- Rings with the commit: for that worker, else for all if it is told where.
with moment as materialized (select :now as at),
taker as (
    delete from windlass_standby
     where worker = (
               select s.worker
                 from windlass_standby s
                 join windlass_workers w on w.id = s.worker
                 join windlass_nodes n on n.id = w.node
                where :type::text = any(w.types)
                  and (w.queues is null or :queue::text = any(w.queues))
                  and w.ended_at is null and w.drain_at is null and n.lease_until > :now
                  and not exists (select from windlass_queues where name = :queue::text)
                order by s.since
                limit 1
                  for update of s skip locked)
    returning worker, number
),
kept as (
    insert into windlass_jobs (id, type, queue, name, state, lane, rank, priority, threads, payload,
                               max_attempts, max_crashes, policy, fence, worker, created_at, run_at, claimed_at)
    select :id::uuid, :type::text, :queue::text, :name::text,
           case when t.worker is null then 'pending' else 'running' end, 'open',
           case when :priority::smallint = 0 then windlass_us(at)
                else windlass_us(at) - :priority::smallint * (select aging_us from windlass_settings) end,
           :priority::smallint, 0, :payload::text::json, :max_attempts::integer, :max_crashes::integer,
           :policy::text::json, case when t.worker is null then 0 else 1 end, t.worker, at, at,
           case when t.worker is not null then at end
      from moment
      left join taker t on true
    returning worker, rank
)
select case when k.worker is not null
                then pg_notify('windlass_' || k.worker,
                               concat_ws(' ', '@handed', k.worker, t.number, k.rank, :told::text))
            when :channel::text is not null then pg_notify(:channel::text, :words::text) end as rung,
       k.worker is not null or :channel::text is not null as sent,
       null as news
  from kept k
  left join taker t on true
