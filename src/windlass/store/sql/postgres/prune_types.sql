-- Forget types of job that no worker knows and none has published for a month.
delete from windlass_types t
 where t.seen_at < :now - interval '30 days'
   and not exists (select from windlass_workers w where w.ended_at is null and t.type = any(w.types))
