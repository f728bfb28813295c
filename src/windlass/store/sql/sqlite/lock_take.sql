-- Tell how long a lock is taken at most.
select null as token, until - :now as left_us
  from windlass_locks
 where name = :name
