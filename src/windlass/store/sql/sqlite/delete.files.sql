-- Forget the files of jobs.
delete from windlass_files where job in (select value from json_each(:ids))
