-- Forget locks that nobody took for an hour, but for the last token, from which the next one is counted.
delete from windlass_locks
 where until < :now - 3600000000
   and token < (select max(token) from windlass_locks)
