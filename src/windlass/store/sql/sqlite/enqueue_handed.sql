-- A worker that stood by for a job of this type in this queue, if one did.
delete from windlass_standby
 where worker = (
           select s.worker
             from windlass_standby s
             join windlass_workers w on w.id = s.worker
             join windlass_nodes n on n.id = w.node
            where :type in (select value from json_each(w.types))
              and (w.queues is null or :queue in (select value from json_each(w.queues)))
              and w.ended_at is null and w.drain_at is null and n.lease_until > :now
              and not exists (select 1 from windlass_queues where name = :queue)
            order by s.since
            limit 1)
returning worker, number
