-- The attempts of the newest jobs that ended unwell; those that failed within the window have a type.
select a.job::text as id, a.fence, j.type, j.queue, left(a.error, 1000) as error, a.finished_at
  from (select *
          from (select job, fence, reason, error, finished_at
                  from windlass_attempts
                 where (job, fence) < (:job::uuid, :fence::bigint)
                 order by job desc, fence desc
                 limit 10000) newest
         limit :limit) a
  left join lateral (
       select e.type, e.queue
         from windlass_every_job e
        where e.id = a.job
        limit 1) j on a.reason not in ('snoozed', 'cancelled')
                  and a.finished_at > :now - :window_us::bigint * interval '1 microsecond'
 order by a.job desc, a.fence desc
