-- Forget revocations of what has expired since.
delete from windlass_revoked
 where expires_at <= :now
