-- Take up to :limit pending jobs that ask for no thread, best first: as claim.sql, with nothing to fit together.
with moment as materialized (
    select at, windlass_us(at) as us from (select :now as at) clock
),
line as (
    select x.row
      from unnest(:los::text[]::bigint[], :his::text[]::bigint[]) as r(lo, hi),
           lateral (
               select ctid as row
                 from windlass_jobs
                where state = 'pending' and lane = 'open' and rank >= r.lo and rank < r.hi
                  and queue <> all(array(select name from windlass_queues))
                  and type = any(:types::text[])
                order by rank, id
                limit :limit
                  for update skip locked) x
     limit :limit
)
update windlass_jobs
   set state = 'running', fence = fence + 1, worker = :worker::uuid,
       claimed_at = (select at from moment)
 where ctid = any(array(select row from line))
   and exists (select from windlass_nodes where id = :node::uuid and lease_until > :now)
returning id::text as id, fence, type, queue, payload, priority, rank, lane, threads, attempts, failures, crashes,
          max_attempts, max_crashes, policy, (select us from moment) as now_us
