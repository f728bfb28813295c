-- End every login of a user.
delete from windlass_logins
 where name = :name
