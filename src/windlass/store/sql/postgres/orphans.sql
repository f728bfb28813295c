-- Running jobs whose worker is gone, has ended, or (if asked for) lost its lease; locked until decided.
select j.id::text as id, j.fence, j.type, j.queue, j.payload, j.priority, j.rank, j.lane, j.threads, j.attempts,
       j.failures, j.crashes, j.max_attempts, j.max_crashes, j.policy, 0 as now_us,
       j.worker::text as worker, coalesce(w.alone, false) as alone,
       j.cancel_asked_at is not null as asked,
       coalesce(w.ended_at is null and w.pid <> n.pid, false) as node_lost,
       exists (select from windlass_attempts a where a.job = j.id and a.reason = 'crashed') as crashed_before
  from windlass_jobs j
  left join windlass_workers w on w.id = j.worker
  left join windlass_nodes n on n.id = w.node
 where j.state = 'running'
   and (w.id is null or w.ended_at is not null or (:lapsed::boolean and n.lease_until <= :now))
 order by j.id
 limit :limit
   for update of j skip locked
