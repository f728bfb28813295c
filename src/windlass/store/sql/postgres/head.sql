-- The job that stands first in a lane, of those a worker may take: its threads, and how long it is due.
select threads, extract(epoch from :now - greatest(run_at, created_at))::float8 as waited
  from windlass_jobs
 where state = 'pending' and lane = :lane
   and queue <> all(array(select name from windlass_queues))
   and (:queues::text[] is null or queue || '' = any(:queues::text[]))
   and type = any(:types::text[])
   and (threads <= :threads::integer or threads > :widest::integer)
 order by rank, id
 limit 1
