-- Whether there is such a login.
select name
  from windlass_logins
 where family = :family
