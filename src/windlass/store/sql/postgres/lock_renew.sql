-- Hold a lock for longer, unless it ended.
update windlass_locks
   set until = :now + :ttl_us::bigint * interval '1 microsecond'
 where name = :name
   and token = :token
   and until > :now
returning token
