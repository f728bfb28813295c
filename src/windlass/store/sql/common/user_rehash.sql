-- Keep a better hash of the same password, unless the password was changed meanwhile.
update windlass_users
   set password = :better
 where name = :name
   and password = :password
