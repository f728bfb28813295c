-- Begin a session for a user, who cannot be removed before it is kept.
with whose as (
    select name from windlass_users where name = :name for key share
)
insert into windlass_sessions (digest, name, began_at, seen_at)
select :digest, name, :now, :now
  from whose
returning name
