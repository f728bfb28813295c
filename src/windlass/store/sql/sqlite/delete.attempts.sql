-- Forget the attempts of jobs.
delete from windlass_attempts where job in (select value from json_each(:ids))
