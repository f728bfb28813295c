-- Let the fleet know which types of job a worker takes from now on.
update windlass_workers
   set types = :types::text[]
 where id = :worker::uuid and ended_at is null
