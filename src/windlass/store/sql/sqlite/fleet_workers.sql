-- The workers that have not ended, with how many jobs each of them runs, and the newest of those.
select w.id, w.node, w.pid, w.slots, w.threads, w.alone, w.types, w.queues,
       w.started_at, n.lease_until, n.lease_until > :now as alive,
       (select count(*) from windlass_jobs j where j.state = 'running' and j.worker = w.id) as running,
       (select json_group_array(id)
          from (select j.id
                  from windlass_jobs j
                 where j.state = 'running' and j.worker = w.id
                 order by +j.id desc
                 limit :most)) as jobs
  from windlass_workers w
  join windlass_nodes n on n.id = w.node
 where w.ended_at is null
 order by w.started_at
