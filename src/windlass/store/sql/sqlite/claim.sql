-- Choose up to :limit pending jobs of one lane, best first, as they will stand once `claim.take` took them.
-- Whoever writes is alone, and no dead rows stand in the way, so ranges of ranks are of no use here.
select json_group_array(json_array(
           id, fence + 1, type, queue, payload, priority, rank, lane, threads, attempts, failures,
           crashes, max_attempts, max_crashes, policy, :now, row)) as rows
  from (select rowid as row, *
          from windlass_jobs
         where state = 'pending' and lane = :lane
           and queue not in (select name from windlass_queues)
           and type in (select value from json_each(:types))
           and (threads <= :free_threads
                or threads > max(:widest, (select coalesce(max(w.threads), 0)
                                            from windlass_workers w
                                            join windlass_nodes n on n.id = w.node
                                           where w.ended_at is null and not w.alone
                                             and n.lease_until > :now)))
           and exists (select 1 from windlass_nodes where id = :node and lease_until > :now)
         order by rank, id
         limit :limit)
