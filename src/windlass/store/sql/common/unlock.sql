-- Give a lock back, unless somebody else has it by now.
update windlass_locks
   set until = :now
 where name = :name
   and token = :token
   and until > :now
