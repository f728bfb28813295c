-- Let a worker claim no more from now on.
update windlass_workers
   set drain_at = coalesce(drain_at, :now), drain_by = coalesce(drain_by, :by)
 where id = :id and ended_at is null
returning id
