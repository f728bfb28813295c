-- Choose up to :limit pending jobs of one lane from the named queues, best first over all of them.
-- The rowids of each queue's head come from a subquery of its own, which stops after :deep.
select json_group_array(json_array(
           j.id, j.fence + 1, j.type, j.queue, j.payload, j.priority, j.rank, j.lane, j.threads,
           j.attempts, j.failures, j.crashes, j.max_attempts, j.max_crashes, j.policy, :now,
           j.rowid)) as rows
  from (select c.rowid as row
          from json_each(:queues) q
         cross join windlass_jobs c
         where c.rowid in (select h.rowid
                             from windlass_jobs h
                            where h.state = 'pending' and h.lane = :lane and h.queue = q.value
                              and h.type in (select value from json_each(:types))
                              and (h.threads <= :free_threads
                                   or h.threads > max(:widest, (select coalesce(max(w.threads), 0)
                                                                 from windlass_workers w
                                                                 join windlass_nodes n on n.id = w.node
                                                                where w.ended_at is null and not w.alone
                                                                  and n.lease_until > :now)))
                            order by h.rank, h.id
                            limit :deep)
           and q.value not in (select name from windlass_queues)
           and exists (select 1 from windlass_nodes where id = :node and lease_until > :now)
         order by c.rank, c.id
         limit :limit) best
 cross join windlass_jobs j
 where j.rowid = best.row
