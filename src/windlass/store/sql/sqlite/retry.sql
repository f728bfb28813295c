-- The failed and cancelled jobs among these, which `retry.*` will put back in line.
select id, queue
  from windlass_history
 where id in (select value from json_each(:ids)) and +state <> 'completed'
