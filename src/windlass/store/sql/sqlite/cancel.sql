-- The live jobs among these, which `cancel.*` will cancel now or ask to stop.
select id, state
  from windlass_jobs
 where id in (select value from json_each(:ids))
 order by id
