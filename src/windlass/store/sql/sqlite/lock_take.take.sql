-- Take a lock that is free, with a token above all before it.
update windlass_locks
   set token = (select max(token) + 1 from windlass_locks),
       until = :now + :ttl_us,
       next = null
 where name = :name
   and until <= :now
   and (next is null or next = :waiter or next_until <= :now)
returning token, 0 as left_us
