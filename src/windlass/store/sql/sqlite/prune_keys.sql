-- Forget keys whose window has passed and whose job is no longer live.
delete from windlass_keys
 where key in (select k.key
                 from windlass_keys k
                where k.expires_at <= :now
                  and not exists (select 1 from windlass_jobs j where j.id = k.job)
                limit :limit)
