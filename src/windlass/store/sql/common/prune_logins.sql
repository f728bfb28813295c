-- Forget logins that ended by themselves.
delete from windlass_logins
 where expires_at <= :now
