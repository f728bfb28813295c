-- End every session of a user.
delete from windlass_sessions
 where name = :name
