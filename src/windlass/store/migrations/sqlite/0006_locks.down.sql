-- Back to a store without locks.
drop table windlass_locks;
