-- Put jobs for later in line at once.
update windlass_jobs
   set state = 'pending', run_at = :now,
       rank = :now - priority * (select aging_us from windlass_settings)
 where id in (select value from json_each(:ids)) and +state = 'scheduled'
returning id
