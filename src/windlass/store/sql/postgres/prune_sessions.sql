-- Forget sessions that ended by themselves.
delete from windlass_sessions
 where seen_at <= :now - :idle_us::bigint * interval '1 microsecond'
