-- The running jobs of a node's workers that somebody asked to cancel.
select j.id as job, j.fence, j.worker
  from windlass_workers w
  join windlass_jobs j on j.worker = w.id
 where w.node = :node and j.cancel_asked_at is not null
