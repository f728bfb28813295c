-- One user, with the hash of the password.
select name, password, scopes, created_at
  from windlass_users
 where name = :name
