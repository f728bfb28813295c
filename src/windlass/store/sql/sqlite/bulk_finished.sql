-- The finished jobs among these; `late` are those that were finished too late to be meant.
-- Without those whose id was used again: they cannot go back in line.
select id, state, finished_at > :until_us as late
  from windlass_history
 where id in (select value from json_each(:ids))
   and id not in (select j.id from windlass_jobs j
                   where j.id in (select value from json_each(:ids)))
