-- Exchange the refresh token of a login; of two who bring the same one, the first gets it.
update windlass_logins
   set digest = :digest,
       expires_at = min(:now + :idle_us, began_at + :whole_us)
 where family = :family
   and expires_at > :now
   and digest = :brought
returning name
