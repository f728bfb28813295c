-- The live jobs among these; `late` are those that came too late to be meant.
-- Without those whose id was used before: history has no place for them.
select id, state, created_at > :until_us as late
  from windlass_jobs
 where id in (select value from json_each(:ids))
   and id not in (select h.id from windlass_history h
                   where h.id in (select value from json_each(:ids)))
