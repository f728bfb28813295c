-- Put the chosen jobs back in the line they belong to.
update windlass_jobs
   set lane = case when threads > 0 then 'threads' else 'open' end
 where rowid in (select value from json_each(:chosen))
