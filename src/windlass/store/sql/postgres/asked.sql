-- The running jobs of a node's workers that somebody asked to cancel.
select j.id::text as job, j.fence, j.worker::text as worker
  from windlass_workers w
  join windlass_jobs j on j.worker = w.id
 where w.node = :node::uuid and j.cancel_asked_at is not null
