-- Begin a session for a user.
insert into windlass_sessions (digest, name, began_at, seen_at)
select :digest, name, :now, :now
  from windlass_users
 where name = :name
returning name
