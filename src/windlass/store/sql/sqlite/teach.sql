-- Let the fleet know which types of job a worker takes from now on.
update windlass_workers
   set types = :types
 where id = :worker and ended_at is null
