-- Choose up to :limit pending jobs of one lane from the named queues, best first over all of them.
-- The rowids of each queue's head come from a subquery of its own, which stops after :deep.
select json_group_array(json_array(
           id, fence + 1, type, queue, payload, priority, rank, lane, threads, attempts, failures,
           crashes, max_attempts, max_crashes, policy, :now, row)) as rows
  from (select j.rowid as row, j.*
          from json_each(:queues) q
         cross join windlass_jobs j
         where j.rowid in (select h.rowid
                             from windlass_jobs h
                            where h.state = 'pending' and h.lane = :lane and h.queue = q.value
                              and h.type in (select value from json_each(:types))
                              and (h.threads <= :free_threads or h.threads > :widest)
                            order by h.rank, h.id
                            limit :deep)
           and q.value not in (select name from windlass_queues)
           and exists (select 1 from windlass_nodes where id = :node and lease_until > :now)
         order by j.rank, j.id
         limit :limit)
