-- Running jobs whose worker is gone or ended, or whose node is dead or let its lease run out by a given time; locked.
-- By the present time, too, since the clock may have been set back.
-- Sought between one living worker and the next: what those run, or have run, is in nobody's way. Locked by their ids
-- afterwards: PostgreSQL 18 goes down over a lock that is taken inside of a gap while others change the row.
with ends as (
    select w.id
      from windlass_workers w
      join windlass_nodes n on n.id = w.node
     where w.ended_at is null
       and not coalesce(n.lease_until <= :now and windlass_us(n.lease_until) <= :lapsed_by::bigint, false)
       and n.id <> all(:dead::text[]::uuid[])
     union all
    select unnest(array['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']::uuid[])
),
gaps as (
    select id as above, lead(id) over (order by id) as below from ends
),
found as materialized (
    select x.id
      from gaps,
           lateral (
               select id
                 from windlass_jobs
                where state = 'running' and worker > gaps.above and worker < gaps.below
                limit :limit) x
     limit :limit
)
select j.id::text as id, j.fence, j.type, j.queue, j.payload, j.priority, j.rank, j.lane, j.threads, j.attempts,
       j.failures, j.crashes, j.max_attempts, j.max_crashes, j.policy, 0 as now_us,
       j.worker::text as worker, coalesce(w.alone, false) as alone,
       j.cancel_asked_at is not null as asked,
       coalesce(w.ended_at is null and w.pid <> n.pid, false) as node_lost,
       exists (select from windlass_attempts a where a.job = j.id and a.reason = 'crashed') as crashed_before
  from windlass_jobs j
  left join windlass_workers w on w.id = j.worker
  left join windlass_nodes n on n.id = w.node
 where j.id = any(array(select id from found)) and j.worker is not null
   and (w.id is null or w.ended_at is not null or n.id = any(:dead::text[]::uuid[])
        or (n.lease_until <= :now and windlass_us(n.lease_until) <= :lapsed_by::bigint))
 order by j.id
   for update of j skip locked
