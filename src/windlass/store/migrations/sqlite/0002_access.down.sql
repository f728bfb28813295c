-- Forget every user, and with them who is logged in and which tokens were revoked.

drop table windlass_sessions;
drop table windlass_logins;
drop table windlass_users;
drop table windlass_revoked;
