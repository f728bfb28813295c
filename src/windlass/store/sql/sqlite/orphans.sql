-- Running jobs whose worker is gone, has ended, let go of its node's lock, or (if asked for) lost its lease.
select j.id, j.fence, j.type, j.queue, j.payload, j.priority, j.rank, j.lane, j.threads, j.attempts,
       j.failures, j.crashes, j.max_attempts, j.max_crashes, j.policy, 0 as now_us,
       j.worker, coalesce(w.alone, 0) as alone, j.cancel_asked_at is not null as asked,
       coalesce(w.ended_at is null and w.pid <> n.pid, 0) as node_lost,
       exists (select 1 from windlass_attempts a where a.job = j.id and a.reason = 'crashed') as crashed_before
  from windlass_jobs j indexed by windlass_jobs_held
  left join windlass_workers w on w.id = j.worker
  left join windlass_nodes n on n.id = w.node
 where j.state = 'running'
   and (w.id is null or w.ended_at is not null or (:lapsed and n.lease_until <= :now)
        or n.id in (select value from json_each(:dead)))
 limit :limit
