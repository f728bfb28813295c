-- Let a worker claim jobs again.
update windlass_workers
   set drain_at = null, drain_by = null
 where id = :id and ended_at is null
returning id
