-- Revoke a token, or all that came from one login; the longer revocation of two lasts.
insert into windlass_revoked as held (id, revoked_at, expires_at)
values (:id, :now, :now + :lasting_us)
    on conflict (id) do update
       set expires_at = max(held.expires_at, excluded.expires_at)
