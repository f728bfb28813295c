-- Put the jobs that came alone in line. They are the newest rows: whoever adds others does this before.
update windlass_jobs
   set lane = case when threads > 0 then 'threads' else 'open' end
 where rowid > coalesce((select rowid
                           from windlass_jobs
                          where lane is not null
                          order by rowid desc
                          limit 1), 0)
