-- The workers that have not ended, with how much each of them runs, and the newest of that.
select w.id::text as id, w.node::text as node, w.pid, w.slots, w.threads, w.alone, w.types, w.queues,
       w.started_at, w.drain_at, w.drain_by, n.lease_until, n.lease_until > :now as alive,
       r.running, r.threads_in_use,
       (select json_agg(json_build_array(h.id, h.type, h.queue, h.name,
                                         case when h.threads > w.threads then 1 else h.threads end,
                                         windlass_us(h.claimed_at)))::text
          from (select j.id, j.type, j.queue, j.name, j.threads, j.claimed_at
                  from windlass_jobs j
                 where j.state = 'running' and j.worker = w.id
                 order by j.id desc
                 limit :most) h) as held
  from windlass_workers w
  join windlass_nodes n on n.id = w.node
 cross join lateral (
       select count(*) as running,
              coalesce(sum(case when j.threads > w.threads then 1 else j.threads end), 0)
                  as threads_in_use
         from windlass_jobs j
        where j.state = 'running' and j.worker = w.id) r
 where w.ended_at is null
 order by w.started_at
