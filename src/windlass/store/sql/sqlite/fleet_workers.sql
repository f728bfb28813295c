-- The workers that have not ended, with how much each of them runs, and the newest of that.
select w.id, w.node, w.pid, w.slots, w.threads, w.alone, w.types, w.queues,
       w.started_at, w.drain_at, w.drain_by, n.lease_until, n.lease_until > :now as alive,
       (select count(*) from windlass_jobs j where j.state = 'running' and j.worker = w.id) as running,
       (select coalesce(sum(case when j.threads > w.threads then 1 else j.threads end), 0)
          from windlass_jobs j
         where j.state = 'running' and j.worker = w.id) as threads_in_use,
       (select json_group_array(json_array(h.id, h.type, h.queue, h.name,
                                           case when h.threads > w.threads then 1 else h.threads end,
                                           h.claimed_at))
          from (select j.id, j.type, j.queue, j.name, j.threads, j.claimed_at
                  from windlass_jobs j
                 where j.state = 'running' and j.worker = w.id
                 order by +j.id desc
                 limit :most) h) as held
  from windlass_workers w
  join windlass_nodes n on n.id = w.node
 where w.ended_at is null
 order by w.started_at
