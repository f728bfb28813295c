-- Forget which job replayed which, once both are gone.
delete from windlass_replays
 where at < :now - :retention_us
   and not exists (select 1 from windlass_jobs j where j.id = windlass_replays.job)
   and not exists (select 1 from windlass_history h where h.id = windlass_replays.job)
   and not exists (select 1 from windlass_jobs j where j.id = windlass_replays.old)
   and not exists (select 1 from windlass_history h where h.id = windlass_replays.old)
