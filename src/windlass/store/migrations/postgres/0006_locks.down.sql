-- Back to a store without locks.
drop table windlass_locks;
drop sequence windlass_lock_tokens;
