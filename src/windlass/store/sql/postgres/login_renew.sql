-- Exchange the refresh token of a login; of two who bring the same one, the first gets it.
update windlass_logins
   set digest = :digest,
       expires_at = least(:now + :idle_us::bigint * interval '1 microsecond',
                          began_at + :whole_us::bigint * interval '1 microsecond')
 where family = :family
   and expires_at > :now
   and digest = :brought
returning name
