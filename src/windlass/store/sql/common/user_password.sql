-- Give a user another password.
update windlass_users
   set password = :password, changed_at = :now
 where name = :name
returning name
