-- Be the next to have a lock, if nobody else is.
update windlass_locks
   set next = :waiter,
       next_until = :now + :turn_us
 where name = :name
   and :waiter is not null
   and (next is null or next = :waiter or next_until <= :now)
