-- Begin a login for a user, who cannot be removed before it is kept.
with whose as (
    select name from windlass_users where name = :name for key share
)
insert into windlass_logins (family, name, digest, began_at, expires_at)
select :family, name, :digest, :now, :now + :idle_us::bigint * interval '1 microsecond'
  from whose
returning name
