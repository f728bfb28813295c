-- Forget types of job that no worker knows and none has published for a month.
delete from windlass_types
 where seen_at < :now - 2592000000000
   and not exists (select 1
                     from windlass_workers w, json_each(w.types) known
                    where w.ended_at is null and known.value = windlass_types.type)
