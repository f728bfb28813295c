-- Note that a session is in use.
update windlass_sessions
   set seen_at = :now
 where digest = :digest
