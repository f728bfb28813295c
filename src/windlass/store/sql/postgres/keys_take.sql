-- Take idempotency keys that are free, or whose window has passed and whose job is no longer live.
insert into windlass_keys as held (key, job, fingerprint, expires_at)
select k.key, k.job, k.fingerprint, :now + k.window_us * interval '1 microsecond'
  from unnest(:key::text[], :job::uuid[], :fingerprint::bytea[], :window_us::bigint[])
       as k(key, job, fingerprint, window_us)
    on conflict (key) do update
       set job = excluded.job, fingerprint = excluded.fingerprint, expires_at = excluded.expires_at
     where held.expires_at <= :now
       and not exists (select from windlass_jobs where id = held.job)
