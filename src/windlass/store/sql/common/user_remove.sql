-- Forget a user; sessions and logins go along.
delete from windlass_users
 where name = :name
returning name
