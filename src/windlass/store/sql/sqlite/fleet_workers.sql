-- The workers that have not ended, with how many jobs each of them runs.
select w.id, w.node, w.pid, w.slots, w.threads, w.alone, w.types, w.queues,
       (select count(*) from windlass_jobs j where j.state = 'running' and j.worker = w.id) as running
  from windlass_workers w
 where w.ended_at is null
 order by w.started_at
