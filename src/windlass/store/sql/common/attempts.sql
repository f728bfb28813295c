-- The attempts of a job that ended otherwise than well, oldest first.
select job, fence, reason, error, trace, worker, started_at, finished_at
  from windlass_attempts
 where job = :id
 order by fence, finished_at
