-- End a login.
delete from windlass_logins
 where family = :family
returning family
