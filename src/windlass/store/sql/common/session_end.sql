-- End a session.
delete from windlass_sessions
 where digest = :digest
