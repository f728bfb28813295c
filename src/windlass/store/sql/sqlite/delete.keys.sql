-- Forget the keys of finished jobs, if somebody means just these jobs.
delete from windlass_keys
 where :with_keys
   and key in (select key from windlass_history where id in (select value from json_each(:ids)))
   and job in (select value from json_each(:ids))
