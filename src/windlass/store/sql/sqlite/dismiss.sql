-- Mark workers ended, so that whatever they still hold is reclaimed at once.
update windlass_workers
   set ended_at = coalesce(ended_at, :now)
 where id in (select value from json_each(:ids))
