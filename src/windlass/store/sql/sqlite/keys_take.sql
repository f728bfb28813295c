-- Take idempotency keys that are free, or whose window has passed and whose job is no longer live.
with wanted (key, job, fingerprint, window_us) as (
    values (:key, :job, :fingerprint, :window_us)
)
insert into windlass_keys as held (key, job, fingerprint, expires_at)
select key, job, fingerprint, :now + window_us
  from wanted
 where key is not null
    on conflict (key) do update
       set job = excluded.job, fingerprint = excluded.fingerprint, expires_at = excluded.expires_at
     where held.expires_at <= :now
       and not exists (select 1 from windlass_jobs where id = held.job)
