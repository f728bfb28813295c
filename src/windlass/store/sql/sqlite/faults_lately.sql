-- The attempts of the newest jobs that ended unwell; those that failed within the window have a type.
select a.job as id, a.fence, coalesce(l.type, h.type) as type, coalesce(l.queue, h.queue) as queue,
       substr(a.error, 1, 1000) as error, a.finished_at
  from (select job, fence, reason, error, finished_at,
               case when reason not in ('snoozed', 'cancelled') and finished_at > :now - :window_us
                    then job end as failed
          from windlass_attempts
         where (job, fence) < (:job, :fence)
         order by job desc, fence desc
         limit :limit) a
  left join windlass_jobs l on l.id = a.failed
  left join windlass_history h on h.id = a.failed
 order by a.job desc, a.fence desc
