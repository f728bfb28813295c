-- Do not wait for a lock any longer.
update windlass_locks
   set next = null
 where name = :name
   and next = :waiter
