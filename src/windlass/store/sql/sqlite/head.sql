-- The job that stands first in a lane, of those a worker may take: its threads, and how long it is due.
select threads, (:now - max(run_at, created_at)) / 1000000.0 as waited
  from windlass_jobs
 where state = 'pending' and lane = :lane
   and +queue not in (select name from windlass_queues)
   and (:queues is null or +queue in (select value from json_each(:queues)))
   and type in (select value from json_each(:types))
   and (threads <= :threads or threads > :widest)
 order by rank, id
 limit 1
