-- Running jobs whose worker is gone or ended, or whose node is dead or let its lease run out by a given time.
-- Looked for between one living worker and the next: what those run is not read. By the present time, too, since the
-- clock may have been set back.
with ends as (
    select w.id
      from windlass_workers w
      join windlass_nodes n on n.id = w.node
     where w.ended_at is null and not coalesce(n.lease_until <= min(:lapsed_by, :now), 0)
       and n.id not in (select value from json_each(:dead))
     union all
    select value from json_each('["", "~"]')
),
gaps as (
    select id as above, lead(id) over (order by id) as below from ends
)
select j.id, j.fence, j.type, j.queue, j.payload, j.priority, j.rank, j.lane, j.threads, j.attempts,
       j.failures, j.crashes, j.max_attempts, j.max_crashes, j.policy, 0 as now_us,
       j.worker, coalesce(w.alone, 0) as alone, j.cancel_asked_at is not null as asked,
       coalesce(w.ended_at is null and w.pid <> n.pid, 0) as node_lost,
       exists (select 1 from windlass_attempts a where a.job = j.id and a.reason = 'crashed') as crashed_before
  from gaps
 cross join windlass_jobs j indexed by windlass_jobs_held
  left join windlass_workers w on w.id = j.worker
  left join windlass_nodes n on n.id = w.node
 where j.state = 'running' and j.worker > gaps.above and j.worker < gaps.below
 limit :limit
