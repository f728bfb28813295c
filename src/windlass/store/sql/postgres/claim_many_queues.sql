-- Take up to :limit pending jobs of one lane from many named queues, best first.
-- `queue || ''` keeps the planner from looking into each queue: one walk along the lane is 50 x quicker.
with moment as materialized (
    select at, windlass_us(at) as us from (select :now as at) clock
),
-- Read only when a job comes along that asks for more than is free.
widest as materialized (
    select greatest(max(w.threads), :widest::integer) as threads
      from windlass_workers w
      join windlass_nodes n on n.id = w.node
     where w.ended_at is null and not w.alone and n.lease_until > :now
),
line as (
    select x.*
      from unnest(:los::text[]::bigint[], :his::text[]::bigint[]) as r(lo, hi),
           lateral (
               select ctid as row, rank, id,
                      case when threads > :widest::integer then least(threads, 1) else threads end as need
                 from windlass_jobs
                where state = 'pending' and lane = :lane and rank >= r.lo and rank < r.hi
                  and queue <> all(array(select name from windlass_queues))
                  and queue || '' = any(:queues::text[])
                  and type = any(:types::text[])
                  and (threads <= :free_threads::integer or threads > (select threads from widest))
                order by rank, id
                limit :limit
                  for update skip locked) x
     limit :limit
),
fits as (
    select row
      from (select row, need, sum(need) over (order by rank, id) as used from line) l
     where need = 0 or used <= :free_threads::integer
)
update windlass_jobs
   set state = 'running', fence = fence + 1, worker = :worker::uuid,
       claimed_at = (select at from moment)
 where ctid = any(array(select row from fits))
   and exists (select from windlass_nodes where id = :node::uuid and lease_until > :now)
returning id::text as id, fence, type, queue, payload, priority, rank, lane, threads, attempts, failures, crashes,
          max_attempts, max_crashes, policy, (select us from moment) as now_us
