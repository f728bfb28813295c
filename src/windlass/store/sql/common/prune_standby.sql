-- Forget that workers stood by that are gone.
delete from windlass_standby
 where not exists (select 1
                     from windlass_workers w
                    where w.id = windlass_standby.worker and w.ended_at is null)
