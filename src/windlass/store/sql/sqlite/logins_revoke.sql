-- Revoke what the logins of a user were given, for as long as it could still be used.
insert into windlass_revoked (id, revoked_at, expires_at)
select family, :now, :now + :lasting_us
  from windlass_logins
 where name = :name
    on conflict (id) do nothing
