-- The latest progress of a job.
select job, fence, fraction, message, at
  from windlass_progress
 where job = :id
 order by at desc, fence desc
 limit 1
