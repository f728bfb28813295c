-- Forget locks that nobody took for an hour; their tokens are never given again.
delete from windlass_locks where until < :now - interval '1 hour'
