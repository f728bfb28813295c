-- Forget finished jobs.
delete from windlass_history where id in (select value from json_each(:ids))
