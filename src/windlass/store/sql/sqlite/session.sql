-- The user of a session that neither idled too long nor lasted too long, and whether to touch it.
select u.name, u.password, u.scopes, u.created_at,
       s.seen_at <= :now - :touch_us as worn
  from windlass_sessions s
  join windlass_users u on u.name = s.name
 where s.digest = :digest
   and s.seen_at > :now - :idle_us
   and s.began_at > :now - :whole_us
