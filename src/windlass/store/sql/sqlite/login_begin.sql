-- Begin a login for a user.
insert into windlass_logins (family, name, digest, began_at, expires_at)
select :family, name, :digest, :now, :now + :idle_us
  from windlass_users
 where name = :name
returning name
