-- Forget which job replayed which, once both are gone.
delete from windlass_replays r
 where r.at < :now - :retention_us::bigint * interval '1 microsecond'
   and not exists (select from windlass_every_job e where e.id = r.job)
   and not exists (select from windlass_every_job e where e.id = r.old)
