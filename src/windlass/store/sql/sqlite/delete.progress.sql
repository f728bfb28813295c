-- Forget the progress of jobs.
delete from windlass_progress where job in (select value from json_each(:ids))
