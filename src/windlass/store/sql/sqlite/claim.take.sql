-- Give the chosen jobs to a worker.
update windlass_jobs
   set state = 'running', fence = fence + 1, worker = :worker, claimed_at = :now
 where rowid in (select value from json_each(:chosen))
