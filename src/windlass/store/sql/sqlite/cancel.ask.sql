-- Ask running jobs to stop.
update windlass_jobs
   set cancel_asked_at = coalesce(cancel_asked_at, :now)
 where id in (select value from json_each(:ids)) and state = 'running'
