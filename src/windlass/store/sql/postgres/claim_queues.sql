-- Take up to :limit pending jobs of one lane from the named queues, best first over all of them.
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
share as materialized (
    select queue, count(*) as n
      from (select q.queue, h.rank, h.id
              from unnest(:queues::text[]) as q(queue),
                   lateral (
                       select rank, id
                         from windlass_jobs
                        where state = 'pending' and lane = :lane and queue = q.queue
                          and type = any(:types::text[])
                          and (threads <= :free_threads::integer or threads > (select threads from widest))
                        order by rank, id
                        limit :deep) h
             where q.queue <> all(array(select name from windlass_queues))
             order by h.rank, h.id
             limit :limit) heads
     group by queue
),
line as (
    select x.*
      from share,
           lateral (
               select ctid as row, rank, id,
                      case when threads > :widest::integer then least(threads, 1) else threads end as need
                 from windlass_jobs
                where state = 'pending' and lane = :lane and queue = share.queue
                  and type = any(:types::text[])
                  and (threads <= :free_threads::integer or threads > (select threads from widest))
                order by rank, id
                limit share.n
                  for update skip locked) x
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
