-- What these finished jobs failed of.
select id, type, queue, substr(error, 1, 1000) as error, finished_at
  from windlass_history
 where id in (select value from json_each(:ids))
