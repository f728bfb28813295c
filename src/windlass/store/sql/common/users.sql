-- Every user, by name.
select name, password, scopes, created_at
  from windlass_users
 order by name
